#include <vector>
#include "store.hpp"

extern "C" int c_entry(const char *name);

namespace shop::model {

namespace fs = std::filesystem;
using std::string;
using namespace std::chrono;

/// Anything that
/// can be compared.
template <typename T>
concept Ordered = requires(T a, T b) { a < b; };

using Name = std::basic_string<char>;
template <class T> using Rows = std::vector<T>;

enum class Level : unsigned char { Low, High = 4 };

/** Holds readings. */
template <typename K, Ordered V, int Size = 4>
class [[nodiscard]] Store final : public Base<K>, private virtual detail::Other {
    int secret_ = 1;
public:
    using Base<K>::find;
    static constexpr int kLimit = 3;

    explicit Store(int size, string name = "all") noexcept : secret_(size) {}
    Store(const Store&) = delete;
    virtual ~Store();

    /// Finds one.
    virtual V find(const K& key, bool strict) const = 0;
    int size() const override;
    template <class F> void each(F&& visit) { if (visit && size() > 0) visit(1); }
    Store& operator+=(const Store& other);
    explicit operator bool() const { return secret_ != 0; }
    auto begin() -> Rows<V>&;
    friend bool operator==(const Store& a, const Store& b) { return &a == &b; }
    friend class Inspector;

    struct Inner {
        int depth{0};
    };
    enum Mode { Fast, Slow };

protected:
    std::function<int(int)> filter_;
    mutable int hits_ = 0, misses_;
};

class Plain {
public:
    Plain();
    int get(int key);
    static int count;
private:
    int rows_[4];
};

Plain::Plain() : rows_{} {}

int Plain::count = 0;

int Plain::get(int key)
{
    for (auto row : rows_) {
        try {
            if (row == key || row < 0)
                return row;
        } catch (const std::exception& e) {
            return -1;
        }
    }
    return key > 0 ? key : 0;
}

template <> struct Hash<Plain> {
    std::size_t operator()(const Plain& plain) const;
};

namespace {
int hidden = 0;
auto add = [](int a, int b) -> int { return a + b; };
}

inline namespace v2 {
template <typename T> constexpr bool is_row = false;
static int helper(std::initializer_list<int> values);
}

} // namespace shop::model

void other::Thing::run() {}
