/*
 * A store of readings.
 */
#ifndef STORE_C
#define STORE_C

#include <stdio.h>
#include "store/impl.h"
#include STORE_CONFIG

#ifdef __cplusplus
extern "C" {
#endif

#define STORE_LIMIT 64 /* slots */
#define STORE_MAX(a, b) \
    ((a) > (b) ? (a) : (b))
#define STORE_TRACE(...) fprintf(stderr, __VA_ARGS__)
#define STORE_DEBUG

/// How full it is,
/// in slots.
typedef unsigned int level_t;

/** Finds a reading. */
typedef int (*compare_fn)(const void *, const void *);

/** One reading. */
typedef struct reading {
    int id;             /**< Unique. */
    const char *name;
    unsigned fresh : 1, stale : 1;
    union {
        int whole;
        float part;
    };
    struct {
        long at;
    } seen;
    compare_fn order;
    void (*drop)(struct reading *self, int why);
    struct reading *next;
} reading_t, *reading_p;

typedef struct { int x, y; } point;

enum level { LOW, HIGH = 1 << 4, ///< Alarming.
#ifdef STORE_DEBUG
    UNKNOWN = -1
#endif
};

enum { BUFFER = 512 };

extern int store_errors;
static const char *const names[] = { "one", "two" };
const char *current = NULL, **all;
static struct { int depth; } state = { 0 };
_Thread_local volatile long ticks;

STORE_API reading_t *store_find(const char *name, int flags, ...) __attribute__((format(printf, 1, 3)));
void (*store_handler(int sign, void (*next)(int)))(int);
static int hidden(void);

/**
 * Opens it.
 * @param path where
 */
int store_open(const char *path, reading_t rows[], int (*each)(reading_t *, void *))
{
    int total = 0;
    struct local { int a; } here = { 1 };
    for (int i = 0; i < STORE_LIMIT && rows; i++) {
        switch (rows[i].id) {
        case 1:
        case 2:
            total++;
            break;
        default:
            if (!path || each(&rows[i], NULL))
                goto done;
        }
    }
    while (total > STORE_LIMIT)
        total -= here.a;
done:
    return total ? total : -1;
}

#if defined(STORE_DEBUG)
static inline int depth(void) { return state.depth; }
#else
static inline int depth(void) { return 0; }
#endif

int old_style(a, b)
    int a;
    char *b;
{
    return a;
}

TEST_CASE(opens_twice) {
    store_open("", NULL, NULL);
}

#ifdef __cplusplus
}
#endif

#endif
