#include <vector>
using namespace std;
namespace shop { class Cart { public: Cart(); virtual ~Cart() {} int size() const { return n; } private: int n; }; }
template <typename T> T twice(T x) { return x + x; }
struct P { int x; int y; };
class D : public Base { void f() override; };
int main() {
    std::vector<int> v;
    for (auto x : v) { std::cout << x; }
    for (int i = 0; i < 3; ++i) { v.push_back(i); }
    if (v.empty()) { return 1; }
    if (a) { f(); } else { g(); }
    while (true) { break; }
    try { f(); } catch (const std::exception& e) { throw; }
    auto f = [&](int a) { return a; };
    auto p = std::make_unique<P>(1);
    P* q = new P();
    delete q;
    int y = static_cast<int>(x);
    throw std::runtime_error("x");
    switch (a) { case 1: f(); break; default: g(); }
    const int k = 3;
    x->call(1);
    return 0;
}
