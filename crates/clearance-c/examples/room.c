/* A robot in a room, in C with nothing but libc: is it free, what is near, is the way proven?
 * Build: cc room.c $(pkg-config --cflags --libs clearance) -o room */
#include <clearance.h>
#include <stdio.h>
#include <stdlib.h>

static void check(clearance_status status) {
    if (status == CLEARANCE_STATUS_OK) return;
    fprintf(stderr, "%s\n", clearance_last_error());
    exit(1);
}

int main(void) {
    check(CLEARANCE_CHECK_ABI());
    clearance_robot *robot;
    check(clearance_robot_humanoid(&robot)); /* yours: clearance_robot_load("panda.urdf", "panda.srdf", NULL, &robot) */
    size_t dof;
    check(clearance_robot_describe(robot, NULL, &dof, NULL));

    clearance_checker *checker;
    check(clearance_checker_new(robot, NULL, &checker));
    clearance_geometry *table;
    check(clearance_box_new(1.2, 0.8, 0.05, &table));
    clearance_pose place = clearance_pose_identity();
    place.rows[0][3] = 0.9;
    place.rows[2][3] = 0.8;
    check(clearance_checker_add(checker, "table", table, &place));

    double *from = calloc(2 * dof, sizeof *from), *to = from + dof;
    check(clearance_robot_limits(robot, dof, NULL, NULL, from));
    for (size_t i = 0; i < dof; i++) to[i] = from[i] + (i == 0 ? 0.1 : 0);
    bool colliding;
    clearance_hit hit;
    check(clearance_checker_collision(checker, from, dof, CLEARANCE_ALL, &colliding, &hit));
    if (colliding) printf("%s touches %s\n", hit.a, hit.b);

    const clearance_near_pair *pairs;
    size_t count;
    check(clearance_checker_near(checker, from, dof, CLEARANCE_SCENE, 0.5, &pairs, &count));
    for (size_t i = 0; i < count; i++) printf("%s is %.3f m from %s\n", pairs[i].a, pairs[i].signed_distance, pairs[i].b);

    clearance_edge edge;
    check(clearance_checker_edge(checker, from, to, dof, 0, 0, &edge));
    printf("the way is %s\n", edge.verdict == CLEARANCE_VERDICT_FREE ? "proven free" : "not free");

    free(from);
    clearance_geometry_free(table);
    clearance_checker_free(checker);
    clearance_robot_free(robot);
    return 0;
}
