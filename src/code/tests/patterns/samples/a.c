#include <stdio.h>
#define MAX 10
struct point { int x; int y; };
typedef struct { int a; } thing_t;
enum color { RED, GREEN };
static int add(int a, int b) { return a + b; }
void f(void);
int main(int argc, char **argv) {
    int i = 0;
    char *p = malloc(10);
    if (p == NULL) { return 1; }
    if (i) { f(); } else { g(1); }
    if (i) f();
    for (i = 0; i < 3; i++) { printf("%d\n", i); }
    while (i > 0) { i--; }
    do { i++; } while (i < 3);
    switch (i) { case 1: f(); break; default: g(2); }
    p[0] = 'a';
    x->y = 1;
    x.y = 2;
    int n = sizeof(int);
    char *q = (char *)p;
    i = a ? b : c;
    free(p);
    goto end;
end:
    return 0;
}
