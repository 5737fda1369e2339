/* Nanoseconds of a cheap question, asked a million times: two spheres that are apart. */
#include "clearance.h"
#include <stdio.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(void) {
    clearance_geometry *a, *b;
    clearance_pair *pair;
    clearance_pose poses[8];
    bool hit;
    long hits = 0;
    if (clearance_sphere_new(0.5, &a) || clearance_sphere_new(0.5, &b) || clearance_pair_new(a, b, &pair)) return 1;
    for (int i = 0; i < 8; i++) {
        poses[i] = clearance_pose_identity();
        poses[i].rows[0][3] = 2 + 0.1 * i;
    }
    double begin = now();
    for (int i = 0; i < 1000000; i++) {
        if (clearance_pair_collides(pair, &poses[i & 7], &hit)) return 1;
        hits += hit;
    }
    printf("%.2f\n", (now() - begin) / 1e6);
    clearance_pair_free(pair);
    clearance_geometry_free(a);
    clearance_geometry_free(b);
    return (int)hits;
}
