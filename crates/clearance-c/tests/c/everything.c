/* Calls every function of clearance.h: with what it is for, with NULL, with handles of another kind, with wrong
 * sizes. Ends with 0 if all answers are right. The argument is a folder for files. Runs under valgrind and
 * AddressSanitizer. */
#include "clearance.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks;

static void fail(int line, const char *what) {
    fprintf(stderr, "everything.c:%d: %s\n  last error: %s\n", line, what, clearance_last_error());
    exit(1);
}
#define CHECK(x) (checks++, (x) ? (void)0 : fail(__LINE__, #x))
#define OK(call) CHECK((call) == CLEARANCE_STATUS_OK)
#define FAILS(status, call) (CHECK((call) == CLEARANCE_STATUS_##status), CHECK(clearance_last_error()[0] != 0))
#define NEAR(x, y, error) CHECK(fabs((x) - (y)) <= (error))

static char path_buffer[4096];
static const char *folder;
static const char *in_folder(const char *name) {
    snprintf(path_buffer, sizeof path_buffer, "%s/%s", folder, name);
    return path_buffer;
}

static clearance_pose at(double x, double y, double z) {
    clearance_pose pose = clearance_pose_identity();
    pose.rows[0][3] = x;
    pose.rows[1][3] = y;
    pose.rows[2][3] = z;
    return pose;
}

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(in_folder(name), "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

/* A tetrahedron. */
static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

static void versions(void) {
    CHECK(clearance_abi_version() == CLEARANCE_ABI_VERSION);
    OK(CLEARANCE_CHECK_ABI());
    FAILS(ABI, clearance_check_abi(CLEARANCE_ABI_VERSION + 1));
    CHECK(strlen(clearance_version()) >= 5);
    double xyz[3] = {1, 2, 3}, wxyz[4] = {0, 0, 0, 1}, none[4] = {0, 0, 0, 0};
    clearance_pose pose;
    OK(clearance_pose_from_quaternion(xyz, wxyz, &pose));
    CHECK(pose.rows[0][0] == -1 && pose.rows[2][2] == 1 && pose.rows[1][3] == 2);
    FAILS(VALUE, clearance_pose_from_quaternion(xyz, none, &pose));
    FAILS(POINTER, clearance_pose_from_quaternion(NULL, wxyz, &pose));
    FAILS(POINTER, clearance_pose_from_quaternion(xyz, NULL, &pose));
    FAILS(POINTER, clearance_pose_from_quaternion(xyz, wxyz, NULL));
}

static clearance_geometry *tetrahedron(bool solid) {
    clearance_mesh_options options = {{0, 0, 0}, solid, 0};
    clearance_geometry *mesh = NULL;
    OK(clearance_mesh_new(corners, 4, faces, 4, &options, &mesh));
    return mesh;
}

static clearance_geometry *sphere(double radius) {
    clearance_geometry *made = NULL;
    OK(clearance_sphere_new(radius, &made));
    return made;
}

static clearance_geometry *box(double x, double y, double z) {
    clearance_geometry *made = NULL;
    OK(clearance_box_new(x, y, z, &made));
    return made;
}

/* A mesh of some hundred triangles. */
static clearance_geometry *hills(void) {
    enum { N = 16 };
    double vertices[N * N * 3];
    uint32_t triangles[(N - 1) * (N - 1) * 6], *next = triangles;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < N; j++) {
            double *vertex = vertices + 3 * (i * N + j);
            vertex[0] = 0.1 * i;
            vertex[1] = 0.1 * j;
            vertex[2] = 0.3 * sin(0.7 * i) * cos(0.9 * j);
            if (i + 1 == N || j + 1 == N) continue;
            uint32_t a = i * N + j, square[6] = {a, a + 1, a + N, a + 1, a + N + 1, a + N};
            memcpy(next, square, sizeof square);
            next += 6;
        }
    clearance_geometry *mesh = NULL;
    OK(clearance_mesh_new(vertices, N * N, triangles, (N - 1) * (N - 1) * 2, NULL, &mesh));
    return mesh;
}

static void is_box(clearance_geometry *geometry, double lx, double hx, double lz, double hz, double error) {
    double low[3], high[3];
    OK(clearance_geometry_bounding_box(geometry, low, high));
    NEAR(low[0], lx, error);
    NEAR(high[0], hx, error);
    NEAR(low[2], lz, error);
    NEAR(high[2], hz, error);
    OK(clearance_geometry_free(geometry));
}

static void geometries(void) {
    clearance_geometry *g = NULL, *other = NULL;
    size_t vertices, triangles, count;
    double low[3], high[3], error;

    OK(clearance_mesh_new(corners, 4, faces, 4, NULL, &g));
    OK(clearance_mesh_size(g, &vertices, &triangles));
    CHECK(vertices == 4 && triangles == 4);
    OK(clearance_mesh_size(g, NULL, NULL));
    double vertex_data[12];
    uint32_t triangle_data[12];
    bool solid_mesh = true;
    OK(clearance_mesh_data(g, vertex_data, 4, triangle_data, 4));
    CHECK(memcmp(vertex_data, corners, sizeof corners) == 0 && memcmp(triangle_data, faces, sizeof faces) == 0);
    OK(clearance_mesh_data(g, NULL, 0, triangle_data, 4));
    OK(clearance_mesh_data(g, vertex_data, 4, NULL, 0));
    FAILS(VALUE, clearance_mesh_data(g, vertex_data, 3, triangle_data, 4));
    FAILS(VALUE, clearance_mesh_data(g, vertex_data, 4, triangle_data, 5));
    FAILS(VALUE, clearance_mesh_data(g, vertex_data, SIZE_MAX / 3, triangle_data, 4));
    FAILS(POINTER, clearance_mesh_data(NULL, vertex_data, 4, triangle_data, 4));
    FAILS(POINTER, clearance_mesh_data(g, (double *)((char *)vertex_data + 1), 4, triangle_data, 4));
    OK(clearance_mesh_is_solid(g, &solid_mesh));
    CHECK(!solid_mesh);
    FAILS(POINTER, clearance_mesh_is_solid(g, NULL));
    OK(clearance_mesh_solid(g, &other));
    OK(clearance_geometry_free(other));
    OK(clearance_mesh_convex_hull(g, &other));
    FAILS(VALUE, clearance_mesh_solid(other, &g));
    is_box(other, 0, 1, 0, 1, 1e-9);
    OK(clearance_mesh_decompose(g, 0.01, &other, &error, &count));
    CHECK(error <= 0.01 && count == 1);
    OK(clearance_geometry_free(other));
    OK(clearance_mesh_decompose(g, 0.01, &other, NULL, NULL));
    OK(clearance_geometry_free(other));
    OK(clearance_geometry_clone(g, &other));
    OK(clearance_geometry_free(g));
    OK(clearance_mesh_size(other, &vertices, NULL));
    OK(clearance_geometry_free(other));
    FAILS(POINTER, clearance_mesh_size(NULL, &vertices, NULL));
    FAILS(POINTER, clearance_mesh_solid(NULL, &g));
    FAILS(POINTER, clearance_mesh_convex_hull(NULL, &g));
    FAILS(POINTER, clearance_mesh_decompose(NULL, 0.1, &g, NULL, NULL));
    FAILS(POINTER, clearance_geometry_clone(NULL, &g));

    uint32_t wrong[] = {0, 1, 9};
    clearance_mesh_options solid = {{0, 0, 0}, 1, 0}, twice = {{2, 2, 2}, 0, 2};
    FAILS(VALUE, clearance_mesh_new(corners, 4, wrong, 1, NULL, &g));
    FAILS(GEOMETRY, clearance_mesh_new(corners, 4, faces, 1, &solid, &g));
    FAILS(POINTER, clearance_mesh_new(NULL, 4, faces, 4, NULL, &g));
    FAILS(POINTER, clearance_mesh_new(corners, 4, NULL, 4, NULL, &g));
    FAILS(POINTER, clearance_mesh_new(corners, 4, faces, 4, NULL, NULL));
    FAILS(POINTER, clearance_mesh_new((const double *)((const char *)corners + 1), 4, faces, 4, NULL, &g));
    FAILS(VALUE, clearance_mesh_new(corners, SIZE_MAX, faces, 4, NULL, &g));
    FAILS(VALUE, clearance_mesh_new(corners, SIZE_MAX / 3, faces, 4, NULL, &g));
    FAILS(VALUE, clearance_mesh_new(corners, 4, faces, SIZE_MAX / 3, NULL, &g));
    CHECK(clearance_mesh_new(corners, 0, faces, 0, NULL, &g) != CLEARANCE_STATUS_OK);

    write_file("t.off", "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n");
    OK(clearance_mesh_load(in_folder("t.off"), &twice, &g));
    is_box(g, 0, 2, 0, 2, 1e-9);
    OK(clearance_mesh_load(in_folder("t.off"), NULL, &g));
    OK(clearance_geometry_free(g));
    FAILS(IO, clearance_mesh_load(in_folder("absent.off"), NULL, &g));
    write_file("bad.off", "OFF\nwhat\n");
    FAILS(FORMAT, clearance_mesh_load(in_folder("bad.off"), NULL, &g));
    FAILS(POINTER, clearance_mesh_load(NULL, NULL, &g));
    FAILS(POINTER, clearance_mesh_load(in_folder("t.off"), NULL, NULL));

    is_box(box(2, 3, 4), -1, 1, -2, 2, 1e-9);
    is_box(sphere(2), -2, 2, -2, 2, 1e-9);
    OK(clearance_capsule_new(1, 2, &g));
    is_box(g, -1, 1, -2, 2, 1e-9);
    OK(clearance_cylinder_new(1, 2, &g));
    is_box(g, -1, 1, -1, 1, 0.5);
    OK(clearance_cone_new(1, 2, &g));
    is_box(g, -1, 1, -1, 1, 0.5);
    OK(clearance_ellipsoid_new(1, 2, 3, &g));
    is_box(g, -1, 1, -3, 3, 2.1);
    OK(clearance_convex_hull_new(corners, 4, &g));
    is_box(g, 0, 1, 0, 1, 1e-9);
    OK(clearance_point_cloud_new(corners, 4, 0.5, &g));
    is_box(g, -0.5, 1.5, -0.5, 1.5, 1e-5);
    write_file("p.xyz", "0 0 0\n1 0 0\n");
    OK(clearance_point_cloud_load(in_folder("p.xyz"), 0.5, &g));
    is_box(g, -0.5, 1.5, -0.5, 0.5, 1e-5);
    double up[3] = {0, 0, 1}, nothing[3] = {0, 0, 0}, heights[6] = {0, 0, 0, 0, 0, 1};
    OK(clearance_half_space_new(up, 0.5, &g));
    OK(clearance_geometry_bounding_box(g, low, high));
    CHECK(isinf(low[0]) && low[0] < 0);
    OK(clearance_geometry_free(g));
    OK(clearance_plane_new(up, 0.5, &g));
    OK(clearance_geometry_free(g));
    OK(clearance_height_field_new(heights, 2, 3, 0.5, 0.5, NAN, &g));
    is_box(g, 0, 1, 0, 1, 1e-5);
    OK(clearance_height_field_new(heights, 2, 3, 0.5, 0.5, -1, &g));
    is_box(g, 0, 1, -1, 1, 1e-5);
    clearance_geometry *ball = sphere(0.5);
    const clearance_geometry *parts[2] = {ball, ball}, *bad_parts[2] = {ball, NULL};
    clearance_pose poses[2] = {at(0, 0, 0), at(2, 0, 0)};
    OK(clearance_compound_new(parts, poses, 2, &g));
    is_box(g, -0.5, 2.5, -0.5, 0.5, 1e-5);
    /* Compounds within each other end before the stack does. */
    clearance_geometry *nested = sphere(0.5), *outer = NULL;
    int levels = 0;
    for (; levels < 1000; levels++) {
        const clearance_geometry *part = nested;
        if (clearance_compound_new(&part, poses, 1, &outer) != CLEARANCE_STATUS_OK) break;
        OK(clearance_geometry_free(nested));
        nested = outer;
    }
    CHECK(levels == 64);
    is_box(nested, -0.5, 0.5, -0.5, 0.5, 1e-5);
    /* Each level holds the one before twice, which takes no more time. */
    clearance_geometry *doubled = sphere(0.5);
    for (levels = 0; levels < 1000; levels++) {
        const clearance_geometry *halves[2] = {doubled, doubled};
        clearance_pose same[2] = {at(0, 0, 0), at(0, 0, 0)};
        if (clearance_compound_new(halves, same, 2, &outer) != CLEARANCE_STATUS_OK) break;
        OK(clearance_geometry_free(doubled));
        doubled = outer;
    }
    CHECK(levels == 64);
    is_box(doubled, -0.5, 0.5, -0.5, 0.5, 1e-5);

    FAILS(VALUE, clearance_box_new(1, -1, 1, &g));
    FAILS(VALUE, clearance_sphere_new(NAN, &g));
    FAILS(VALUE, clearance_capsule_new(-1, 1, &g));
    FAILS(VALUE, clearance_cylinder_new(1, INFINITY, &g));
    FAILS(VALUE, clearance_cone_new(0, NAN, &g));
    FAILS(VALUE, clearance_ellipsoid_new(1, 1, -1, &g));
    FAILS(GEOMETRY, clearance_convex_hull_new(corners, 2, &g));
    CHECK(clearance_half_space_new(nothing, 0, &g) != CLEARANCE_STATUS_OK);
    CHECK(clearance_plane_new(nothing, 0, &g) != CLEARANCE_STATUS_OK);
    FAILS(VALUE, clearance_point_cloud_new(corners, 4, -1, &g));
    FAILS(IO, clearance_point_cloud_load(in_folder("absent.xyz"), 1, &g));
    FAILS(VALUE, clearance_height_field_new(heights, SIZE_MAX, 2, 1, 1, NAN, &g));
    CHECK(clearance_height_field_new(heights, 1, 1, 1, 1, NAN, &g) != CLEARANCE_STATUS_OK);
    FAILS(POINTER, clearance_box_new(1, 1, 1, NULL));
    FAILS(POINTER, clearance_sphere_new(1, NULL));
    FAILS(POINTER, clearance_capsule_new(1, 1, NULL));
    FAILS(POINTER, clearance_cylinder_new(1, 1, NULL));
    FAILS(POINTER, clearance_cone_new(1, 1, NULL));
    FAILS(POINTER, clearance_ellipsoid_new(1, 1, 1, NULL));
    FAILS(POINTER, clearance_convex_hull_new(NULL, 4, &g));
    FAILS(POINTER, clearance_half_space_new(NULL, 0, &g));
    FAILS(POINTER, clearance_plane_new(NULL, 0, &g));
    FAILS(POINTER, clearance_point_cloud_new(NULL, 4, 1, &g));
    FAILS(POINTER, clearance_point_cloud_load(NULL, 1, &g));
    FAILS(POINTER, clearance_height_field_new(NULL, 2, 3, 1, 1, NAN, &g));
    FAILS(POINTER, clearance_compound_new(bad_parts, poses, 2, &g));
    FAILS(POINTER, clearance_compound_new(NULL, poses, 2, &g));
    FAILS(POINTER, clearance_compound_new(parts, NULL, 2, &g));
    FAILS(POINTER, clearance_geometry_bounding_box(ball, NULL, high));

    clearance_ray rays[2] = {{{-3, 0, 0}, {1, 0, 0}, INFINITY}, {{-3, 0, 0}, {0, 1, 0}, INFINITY}};
    clearance_ray no_ray = {{0, 0, 0}, {0, 0, 0}, 1};
    clearance_ray_hit hits[2];
    OK(clearance_geometry_rays(ball, rays, 2, 1, hits));
    NEAR(hits[0].t, 2.5, 1e-12);
    NEAR(hits[0].normal[0], -1, 1e-12);
    CHECK(isinf(hits[1].t) && isnan(hits[1].point[0]) && hits[1].leaf == CLEARANCE_NONE);
    OK(clearance_geometry_rays(ball, NULL, 0, 1, NULL));
    FAILS(POINTER, clearance_geometry_rays(ball, NULL, 2, 1, hits));
    FAILS(POINTER, clearance_geometry_rays(ball, rays, 2, 1, NULL));
    CHECK(clearance_geometry_rays(ball, &no_ray, 1, 1, hits) != CLEARANCE_STATUS_OK);
    OK(clearance_geometry_ray_hits(ball, rays, hits, 1, &count));
    CHECK(count == 2);
    NEAR(hits[0].t, 2.5, 1e-12);
    OK(clearance_geometry_ray_hits(ball, rays, NULL, 0, &count));
    FAILS(POINTER, clearance_geometry_ray_hits(ball, rays, hits, 2, NULL));
    clearance_point_distance distances[2];
    double points[6] = {2, 0, 0, 0.1, 0, 0};
    OK(clearance_geometry_signed_distances(ball, points, 2, 0, distances));
    NEAR(distances[0].distance, 1.5, 1e-12);
    CHECK(distances[1].lower <= -0.4 && -0.4 <= distances[1].upper && distances[0].sign == CLEARANCE_SIGN_CLOSED);
    FAILS(VALUE, clearance_geometry_signed_distances(ball, points, SIZE_MAX / 2, 1, distances));
    FAILS(POINTER, clearance_geometry_signed_distances(NULL, points, 2, 1, distances));
    OK(clearance_geometry_free(ball));
    OK(clearance_geometry_free(NULL));
}

static void pairs(void) {
    clearance_geometry *a = box(2, 2, 2), *b = sphere(0.5), *mesh = tetrahedron(false);
    clearance_pair *pair = NULL, *clone = NULL;
    OK(clearance_pair_new(a, b, &pair));
    FAILS(POINTER, clearance_pair_new(NULL, b, &clone));
    FAILS(POINTER, clearance_pair_new(a, b, NULL));
    /* Handles of another kind are told apart by what they begin with. */
    FAILS(HANDLE, clearance_pair_new((const clearance_geometry *)pair, b, &clone));
    FAILS(HANDLE, clearance_pair_free((clearance_pair *)a));
    FAILS(HANDLE, clearance_geometry_free((clearance_geometry *)pair));
    FAILS(HANDLE, clearance_robot_free((clearance_robot *)pair));
    OK(clearance_pair_clone(pair, &clone));
    FAILS(POINTER, clearance_pair_clone(NULL, &clone));

    clearance_pose far = at(3, 0, 0), near = at(1.2, 0, 0), wrong = at(0, 0, 0);
    clearance_pose both[2];
    both[0] = far;
    both[1] = near;
    bool hit, hits[2];
    OK(clearance_pair_collides(pair, &far, &hit));
    CHECK(!hit);
    OK(clearance_pair_collides(clone, &near, &hit));
    CHECK(hit);
    wrong.rows[0][0] = 5;
    FAILS(VALUE, clearance_pair_collides(pair, &wrong, &hit));
    wrong.rows[0][0] = NAN;
    FAILS(VALUE, clearance_pair_collides(pair, &wrong, &hit));
    FAILS(POINTER, clearance_pair_collides(NULL, &far, &hit));
    FAILS(POINTER, clearance_pair_collides(pair, NULL, &hit));
    FAILS(POINTER, clearance_pair_collides(pair, &far, NULL));
    FAILS(HANDLE, clearance_pair_collides((clearance_pair *)a, &far, &hit));
    OK(clearance_pair_collides_batch(pair, both, 2, 2, hits));
    CHECK(!hits[0] && hits[1]);
    OK(clearance_pair_collides_batch(pair, NULL, 0, 0, NULL));
    FAILS(VALUE, clearance_pair_collides_batch(pair, both, SIZE_MAX / 8, 1, hits));

    clearance_distance distance, distances[2];
    clearance_distance_request request = {0.5, 0, 0, 0, 0}, nonsense = {0, 0, -1, 0, 0};
    OK(clearance_pair_distance(pair, &far, NULL, &distance));
    CHECK(distance.lower <= 1.5 && 1.5 <= distance.upper && distance.end == CLEARANCE_END_EXACT);
    NEAR(distance.point_a[0], 1, 1e-9);
    NEAR(distance.point_b[0], 2.5, 1e-9);
    OK(clearance_pair_distance(pair, &far, &request, &distance));
    CHECK(distance.lower >= 0.5 && isinf(distance.upper) && isnan(distance.point_a[0]));
    CHECK(distance.end == CLEARANCE_END_BEYOND_MAX);
    FAILS(VALUE, clearance_pair_distance(pair, &far, &nonsense, &distance));
    OK(clearance_pair_distances(pair, both, 2, NULL, 2, distances));
    CHECK(distances[1].upper == 0);
    NEAR(distances[0].upper, 1.5, 1e-9);
    FAILS(POINTER, clearance_pair_distances(pair, both, 2, NULL, 1, NULL));
    OK(clearance_pair_is_within(pair, &far, 1.6, &hit));
    CHECK(hit);
    FAILS(VALUE, clearance_pair_is_within(pair, &far, NAN, &hit));

    clearance_gradient gradient;
    bool found;
    OK(clearance_pair_gradient(pair, &far, &gradient, &found));
    CHECK(found);
    NEAR(gradient.by_b[0], 1, 1e-9);
    CHECK(gradient.unique != CLEARANCE_TRUTH_FALSE);
    OK(clearance_pair_gradient(pair, &near, &gradient, &found));
    CHECK(!found);
    FAILS(POINTER, clearance_pair_gradient(pair, &far, NULL, &found));

    clearance_signed_distance deep;
    clearance_depth_request coarse = {0.1, 0, 0};
    OK(clearance_pair_signed_distance(pair, &near, NULL, &deep, &gradient));
    CHECK(deep.lower <= -0.3 + 1e-9 && -0.3 - 1e-6 <= deep.upper);
    NEAR(deep.normal[0], 1, 1e-3);
    OK(clearance_pair_signed_distance(pair, &far, &coarse, &deep, NULL));
    NEAR(deep.signed_distance, 1.5, 0.2);
    FAILS(POINTER, clearance_pair_signed_distance(pair, &far, NULL, NULL, NULL));
    clearance_penetration depth;
    OK(clearance_pair_penetration(pair, &near, NULL, &depth, &found));
    CHECK(found && depth.lower <= 0.3 + 1e-9 && 0.3 - 1e-9 <= depth.upper);
    OK(clearance_pair_penetration(pair, &far, &coarse, &depth, &found));
    CHECK(!found);
    FAILS(POINTER, clearance_pair_penetration(pair, &near, NULL, NULL, &found));

    clearance_pair *meshes = NULL;
    const clearance_contact *contacts;
    size_t count;
    bool truncated;
    clearance_pose apart = at(0.2, 0.2, -0.1), origin = at(0, 0, 0);
    OK(clearance_pair_new(mesh, mesh, &meshes));
    OK(clearance_pair_contacts(meshes, &apart, 0, 0, &contacts, &count, &hit, &truncated));
    CHECK(hit && !truncated && count > 1);
    for (size_t i = 0; i < count; i++) {
        double length = 0;
        for (int axis = 0; axis < 3; axis++) length += contacts[i].normal[axis] * contacts[i].normal[axis];
        NEAR(length, 1, 1e-9);
        CHECK(contacts[i].point_count >= 1 && contacts[i].leaf_a < 4 && contacts[i].leaf_b < 4);
        for (size_t j = 0; j < contacts[i].point_count; j++) CHECK(isfinite(contacts[i].points[j][2]));
    }
    /* A budget of one step ends early, with bounds that hold. */
    clearance_distance_request short_search = {0, 0, 0, 0, 1};
    clearance_geometry *ground = hills();
    clearance_pair *grounds = NULL;
    clearance_pose over = at(0, 0, 1.5);
    OK(clearance_pair_new(ground, ground, &grounds));
    OK(clearance_pair_distance(grounds, &over, NULL, &distance));
    double exact = distance.upper;
    OK(clearance_pair_distance(grounds, &over, &short_search, &distance));
    CHECK(distance.end == CLEARANCE_END_BUDGET && distance.lower < exact && distance.upper >= exact);
    OK(clearance_pair_free(grounds));
    OK(clearance_geometry_free(ground));
    OK(clearance_pair_contacts(meshes, &apart, 0, 1, &contacts, &count, NULL, NULL));
    CHECK(count == 1);
    FAILS(VALUE, clearance_pair_contacts(meshes, &apart, -1, 0, &contacts, &count, NULL, NULL));
    FAILS(POINTER, clearance_pair_contacts(meshes, &apart, 0, 0, NULL, &count, NULL, NULL));
    /* A pair keeps what it was made of. */
    OK(clearance_geometry_free(mesh));
    OK(clearance_pair_collides(meshes, &origin, &hit));
    CHECK(hit);
    OK(clearance_pair_free(meshes));

    clearance_motion *still = NULL, *motion = NULL;
    clearance_impact impact;
    double x[3] = {-1, 0, 0}, zero[3] = {0, 0, 0}, turn[3] = {0, 0, 1};
    OK(clearance_motion_still(&origin, &still));
    OK(clearance_motion_between(&far, &origin, 1, &motion));
    OK(clearance_pair_time_of_impact(pair, still, motion, 0, 0, &impact));
    CHECK(impact.verdict == CLEARANCE_VERDICT_CONTACT && impact.t_lower <= 0.5 + 1e-9);
    NEAR(impact.t_upper, 0.5, 1e-4);
    NEAR(impact.normal[0], 1, 1e-3);
    OK(clearance_pair_time_of_impact(pair, still, still, 0, 1e-3, &impact));
    CHECK(impact.verdict == CLEARANCE_VERDICT_CONTACT);
    double duration;
    clearance_pose middle;
    OK(clearance_motion_at(motion, 0.5, &middle, &duration));
    NEAR(middle.rows[0][3], 1.5, 1e-12);
    CHECK(duration == 1);
    FAILS(VALUE, clearance_motion_at(motion, NAN, &middle, NULL));
    OK(clearance_motion_free(motion));
    OK(clearance_motion_moving(&far, zero, zero, zero, 1, &motion));
    OK(clearance_pair_time_of_impact(pair, still, motion, 0, 0, &impact));
    CHECK(impact.verdict == CLEARANCE_VERDICT_FREE && impact.margin > 0 && impact.free_until == 1);
    FAILS(VALUE, clearance_pair_time_of_impact(pair, still, motion, -1, 0, &impact));
    FAILS(POINTER, clearance_pair_time_of_impact(pair, NULL, motion, 0, 0, &impact));
    FAILS(HANDLE, clearance_pair_time_of_impact(pair, (clearance_motion *)a, motion, 0, 0, &impact));
    OK(clearance_motion_free(motion));
    OK(clearance_motion_screw(&far, zero, turn, 0.1, 1, &motion));
    OK(clearance_motion_free(motion));
    OK(clearance_motion_thrown(&far, zero, x, zero, turn, 1, &motion));
    OK(clearance_motion_free(motion));
    double times[2] = {0, 1};
    OK(clearance_motion_through(times, both, 2, &motion));
    OK(clearance_motion_free(motion));
    double late[2] = {1, 0};
    FAILS(VALUE, clearance_motion_through(late, both, 2, &motion));
    FAILS(POINTER, clearance_motion_through(NULL, both, 2, &motion));
    FAILS(POINTER, clearance_motion_still(NULL, &motion));
    FAILS(VALUE, clearance_motion_between(&far, &near, -1, &motion));
    FAILS(POINTER, clearance_motion_moving(&far, NULL, x, x, 1, &motion));
    FAILS(POINTER, clearance_motion_screw(&far, NULL, x, 0, 1, &motion));
    FAILS(POINTER, clearance_motion_thrown(&far, x, x, NULL, x, 1, &motion));
    double powers[6] = {1, 0, 0, 0, 0, -1};
    clearance_motion *next = NULL, *both_motions = NULL;
    OK(clearance_motion_polynomial(&far, zero, powers, 2, turn, 2, &motion));
    OK(clearance_motion_at(motion, 2, &middle, &duration));
    NEAR(middle.rows[0][3], 5, 1e-12);
    NEAR(middle.rows[2][3], -4, 1e-12);
    FAILS(VALUE, clearance_motion_polynomial(&far, zero, powers, 2, turn, NAN, &next));
    FAILS(VALUE, clearance_motion_polynomial(&far, zero, powers, SIZE_MAX / 3, turn, 1, &next));
    FAILS(POINTER, clearance_motion_polynomial(&far, zero, NULL, 2, turn, 1, &next));
    OK(clearance_motion_between(&middle, &far, 1, &next));
    OK(clearance_motion_then(motion, next, &both_motions));
    OK(clearance_motion_at(both_motions, 3, &middle, &duration));
    CHECK(duration == 3);
    NEAR(middle.rows[0][3], 3, 1e-12);
    OK(clearance_motion_free(both_motions));
    FAILS(VALUE, clearance_motion_then(next, next, &both_motions));
    FAILS(POINTER, clearance_motion_then(motion, NULL, &both_motions));
    FAILS(HANDLE, clearance_motion_then((clearance_motion *)a, next, &both_motions));
    OK(clearance_motion_free(next));
    OK(clearance_motion_free(motion));
    OK(clearance_motion_free(still));
    OK(clearance_motion_free(NULL));
    OK(clearance_pair_free(clone));
    OK(clearance_pair_free(pair));
    OK(clearance_pair_free(NULL));
    OK(clearance_geometry_free(a));
    OK(clearance_geometry_free(b));
}

static void voxels(void) {
    clearance_voxel_map *map = NULL, *read = NULL;
    clearance_geometry *obstacles = NULL;
    double points[6] = {0.5, 0, 0, 1, 0, 0}, origin[3] = {0, 0, 0}, wild[3] = {1e300, 0, NAN};
    clearance_cell cells[2];
    clearance_scan scan;
    OK(clearance_voxel_map_new(0.1, &map));
    FAILS(VALUE, clearance_voxel_map_new(-1, &read));
    OK(clearance_voxel_map_set(map, points, 1, CLEARANCE_CELL_OBSTACLE));
    FAILS(VALUE, clearance_voxel_map_set(map, points, 1, 17));
    FAILS(VALUE, clearance_voxel_map_set(map, wild, 1, CLEARANCE_CELL_OBSTACLE));
    FAILS(POINTER, clearance_voxel_map_set(map, NULL, 1, CLEARANCE_CELL_OBSTACLE));
    OK(clearance_voxel_map_cells(map, points, 2, cells));
    CHECK(cells[0] == CLEARANCE_CELL_OBSTACLE && cells[1] == CLEARANCE_CELL_FREE);
    FAILS(POINTER, clearance_voxel_map_cells(map, points, 2, NULL));
    OK(clearance_voxel_map_obstacles(map, &obstacles));
    is_box(obstacles, 0.5, 0.6, 0, 0.1, 1e-5);
    OK(clearance_voxel_map_save(map, in_folder("map.bt")));
    OK(clearance_voxel_map_load(in_folder("map.bt"), CLEARANCE_CELL_FREE, &read));
    OK(clearance_voxel_map_cells(read, points, 2, cells));
    CHECK(cells[0] == CLEARANCE_CELL_OBSTACLE);
    OK(clearance_voxel_map_save(read, in_folder("map.ot")));
    OK(clearance_voxel_map_free(read));
    FAILS(IO, clearance_voxel_map_load(in_folder("absent.bt"), CLEARANCE_CELL_FREE, &read));
    FAILS(VALUE, clearance_voxel_map_load(in_folder("map.bt"), -5, &read));
    FAILS(IO, clearance_voxel_map_save(map, in_folder("no/such/folder.bt")));
    OK(clearance_voxel_map_insert_rays(map, origin, points, 2, 0, &scan));
    CHECK(scan.rays >= 1 && scan.hits >= 1);
    FAILS(POINTER, clearance_voxel_map_insert_rays(map, NULL, points, 2, 0, NULL));
    clearance_depth_camera camera = {4, 3, {4, 4}, {1.5, 1}}, huge = {SIZE_MAX, SIZE_MAX, {4, 4}, {1, 1}};
    float depths[12];
    for (int i = 0; i < 12; i++) depths[i] = 2;
    clearance_pose pose = at(0, 0, 0);
    OK(clearance_voxel_map_insert_depth_image(map, &camera, depths, 12, &pose, 5, &scan));
    CHECK(scan.hits > 0);
    FAILS(VALUE, clearance_voxel_map_insert_depth_image(map, &camera, depths, 11, &pose, 0, NULL));
    FAILS(VALUE, clearance_voxel_map_insert_depth_image(map, &huge, depths, 12, &pose, 0, NULL));
    FAILS(POINTER, clearance_voxel_map_insert_depth_image(map, &camera, NULL, 12, &pose, 0, NULL));
    OK(clearance_voxel_map_clear(map));
    double low[3] = {0, 0, 0}, high[3] = {0.35, 0.05, 0.05}, centers[9], sizes[3], resolution;
    clearance_geometry *mesh = tetrahedron(true), *ball = sphere(1);
    OK(clearance_voxel_map_resolution(map, &resolution));
    CHECK(resolution == 0.1);
    FAILS(POINTER, clearance_voxel_map_resolution(map, NULL));
    OK(clearance_voxel_map_fill(map, low, high, CLEARANCE_CELL_OBSTACLE));
    FAILS(VALUE, clearance_voxel_map_fill(map, high, low, CLEARANCE_CELL_OBSTACLE));
    FAILS(VALUE, clearance_voxel_map_fill(map, low, wild, CLEARANCE_CELL_OBSTACLE));
    FAILS(VALUE, clearance_voxel_map_fill(map, low, high, 9));
    FAILS(POINTER, clearance_voxel_map_fill(map, low, NULL, CLEARANCE_CELL_OBSTACLE));
    size_t count;
    OK(clearance_voxel_map_cubes(map, CLEARANCE_CELL_OBSTACLE, centers, sizes, 3, &count));
    double cells_filled = 0;
    for (size_t i = 0; i < count && i < 3; i++) cells_filled += pow(sizes[i] / resolution, 3);
    CHECK(count == 4 ? cells_filled > 2.9 : fabs(cells_filled - 4) < 1e-9);
    OK(clearance_voxel_map_cubes(map, CLEARANCE_CELL_UNKNOWN, NULL, NULL, 0, &count));
    CHECK(count == 0);
    FAILS(VALUE, clearance_voxel_map_cubes(map, 9, NULL, NULL, 0, &count));
    FAILS(POINTER, clearance_voxel_map_cubes(map, CLEARANCE_CELL_OBSTACLE, NULL, sizes, 3, &count));
    FAILS(VALUE, clearance_voxel_map_cubes(map, CLEARANCE_CELL_OBSTACLE, centers, sizes, SIZE_MAX / 8, &count));
    OK(clearance_voxel_map_clear(map));
    OK(clearance_voxel_map_rasterize(map, mesh, &pose, true, CLEARANCE_CELL_OBSTACLE));
    double inside[3] = {0.25, 0.25, 0.25};
    OK(clearance_voxel_map_cells(map, inside, 1, cells));
    CHECK(cells[0] == CLEARANCE_CELL_OBSTACLE);
    OK(clearance_voxel_map_rasterize(map, mesh, &pose, false, CLEARANCE_CELL_FREE));
    FAILS(VALUE, clearance_voxel_map_rasterize(map, ball, &pose, true, CLEARANCE_CELL_OBSTACLE));
    FAILS(VALUE, clearance_voxel_map_rasterize(map, mesh, &pose, true, -1));
    FAILS(POINTER, clearance_voxel_map_rasterize(map, NULL, &pose, true, CLEARANCE_CELL_OBSTACLE));
    OK(clearance_geometry_free(mesh));
    OK(clearance_geometry_free(ball));
    OK(clearance_voxel_map_clear(map));
    OK(clearance_voxel_map_obstacles(map, &obstacles));
    OK(clearance_geometry_free(obstacles));
    FAILS(POINTER, clearance_voxel_map_clear(NULL));
    FAILS(POINTER, clearance_voxel_map_obstacles(map, NULL));
    FAILS(HANDLE, clearance_voxel_map_free((clearance_voxel_map *)(void *)path_buffer));
    OK(clearance_voxel_map_free(map));
    OK(clearance_voxel_map_free(NULL));
}

static void scenes(void) {
    clearance_scene *scene = NULL, *clone = NULL;
    clearance_geometry *wall = box(0.2, 4, 4), *mesh = tetrahedron(true), *back = NULL, *plane = NULL;
    clearance_pose there = at(2, 0, 0), pose;
    const char *name, *names[2];
    size_t count;
    double up[3] = {0, 0, 1};
    OK(clearance_scene_new(&scene));
    FAILS(POINTER, clearance_scene_new(NULL));
    OK(clearance_scene_add(scene, "wall", wall, &there));
    FAILS(NAME, clearance_scene_add(scene, "wall", wall, &there));
    FAILS(TEXT, clearance_scene_add(scene, "\xff\xfe", wall, &there));
    FAILS(POINTER, clearance_scene_add(scene, NULL, wall, &there));
    FAILS(POINTER, clearance_scene_add(scene, "x", NULL, &there));
    OK(clearance_scene_replace(scene, "tetrahedron", mesh));
    FAILS(POINTER, clearance_scene_replace(scene, "x", NULL));
    OK(clearance_scene_move(scene, "tetrahedron", &there));
    FAILS(NAME, clearance_scene_move(scene, "nothing", &there));
    OK(clearance_scene_pose(scene, "tetrahedron", &pose));
    CHECK(pose.rows[0][3] == 2);
    FAILS(NAME, clearance_scene_pose(scene, "nothing", &pose));
    OK(clearance_scene_count(scene, &count));
    CHECK(count == 2);
    OK(clearance_scene_name(scene, 1, &name));
    CHECK(strcmp(name, "tetrahedron") == 0);
    FAILS(VALUE, clearance_scene_name(scene, 2, &name));
    OK(clearance_scene_clone(scene, &clone));
    OK(clearance_scene_remove(clone, "tetrahedron", &back, &pose));
    OK(clearance_geometry_free(back));
    FAILS(NAME, clearance_scene_remove(clone, "tetrahedron", NULL, NULL));
    OK(clearance_scene_remove(clone, "wall", NULL, NULL));
    OK(clearance_scene_free(clone));
    OK(clearance_scene_save(scene, in_folder("room.json")));
    FAILS(UNSUPPORTED, clearance_scene_save(scene, in_folder("room.txt")));
    OK(clearance_scene_load(in_folder("room.json"), &clone));
    OK(clearance_scene_count(clone, &count));
    CHECK(count == 2);
    OK(clearance_plane_new(up, 0, &plane));
    OK(clearance_scene_replace(clone, "sheet", plane));
    FAILS(UNSUPPORTED, clearance_scene_save(clone, in_folder("sheet.json")));
    OK(clearance_geometry_free(plane));
    OK(clearance_scene_free(clone));
    CHECK(clearance_scene_load(in_folder("absent.json"), &clone) != CLEARANCE_STATUS_OK);

    clearance_ray rays[2] = {{{0, -1, 0.5}, {1, 0, 0}, INFINITY}, {{0, 0, 0}, {-1, 0, 0}, INFINITY}};
    clearance_ray_hit hits[2];
    OK(clearance_scene_rays(scene, rays, 2, hits, names));
    NEAR(hits[0].t, 1.9, 1e-12);
    CHECK(strcmp(names[0], "wall") == 0 && names[1] == NULL && isinf(hits[1].t));
    OK(clearance_scene_rays(scene, rays, 2, hits, NULL));
    FAILS(POINTER, clearance_scene_rays(scene, rays, 2, NULL, NULL));
    OK(clearance_scene_ray_hits(scene, rays, hits, names, 2, &count));
    CHECK(count == 2 && strcmp(names[1], "wall") == 0);
    NEAR(hits[1].t, 2.1, 1e-12);
    OK(clearance_scene_ray_hits(scene, rays, NULL, NULL, 0, &count));
    CHECK(count == 2);
    OK(clearance_scene_ray_hits(scene, rays, hits, NULL, 1, &count));
    OK(clearance_scene_ray_hits(scene, rays + 1, hits, names, 2, &count));
    CHECK(count == 0);
    FAILS(POINTER, clearance_scene_ray_hits(scene, rays, NULL, names, 2, &count));
    FAILS(POINTER, clearance_scene_ray_hits(scene, NULL, hits, names, 2, &count));
    OK(clearance_scene_geometry(scene, "wall", &back));
    is_box(back, -0.1, 0.1, -2, 2, 1e-9);
    FAILS(NAME, clearance_scene_geometry(scene, "nothing", &back));
    FAILS(POINTER, clearance_scene_geometry(scene, "wall", NULL));
    clearance_point_distance distances[1];
    double point[3] = {0, -1, 0};
    OK(clearance_scene_signed_distances(scene, point, 1, distances, names));
    NEAR(distances[0].distance, 1.9, 1e-9);
    CHECK(strcmp(names[0], "wall") == 0);
    OK(clearance_scene_signed_distances(scene, point, 1, distances, NULL));
    FAILS(POINTER, clearance_scene_signed_distances(scene, NULL, 1, distances, NULL));
    clearance_depth_camera camera = {4, 3, {4, 4}, {1.5, 1}};
    float depths[12];
    double xyz[3] = {0, 0, 0}, forward[4] = {0.5, -0.5, 0.5, -0.5};
    OK(clearance_pose_from_quaternion(xyz, forward, &pose));
    OK(clearance_scene_depth_image(scene, &camera, &pose, 1, depths, 12));
    CHECK(depths[5] > 1.8f && depths[5] < 2.0f);
    FAILS(VALUE, clearance_scene_depth_image(scene, &camera, &pose, 1, depths, 11));
    FAILS(POINTER, clearance_scene_depth_image(scene, NULL, &pose, 1, depths, 12));
    OK(clearance_scene_free(scene));
    OK(clearance_scene_free(NULL));
    OK(clearance_geometry_free(wall));
    OK(clearance_geometry_free(mesh));
}

static const char *urdf =
    "<robot name='crane'><link name='base'><collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision></link>"
    "<link name='arm'><collision><origin xyz='0.5 0 0'/><geometry><cylinder radius='0.05' length='0.2'/></geometry>"
    "</collision></link><link name='hand'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
    "<joint name='turn' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/>"
    "<limit lower='-3' upper='3' effort='1' velocity='1'/></joint>"
    "<joint name='lift' type='prismatic'><parent link='arm'/><child link='hand'/><origin xyz='1 0 0'/><axis xyz='0 0 1'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>";
static const char *srdf =
    "<robot name='crane'><group name='lifting'><joint name='lift'/></group>"
    "<disable_collisions link1='base' link2='hand' reason='Never'/></robot>";

static clearance_robot *crane(void) {
    clearance_robot *robot = NULL;
    OK(clearance_robot_from_urdf(urdf, NULL, NULL, &robot));
    return robot;
}

static void robots(void) {
    clearance_robot *robot = NULL, *scaled = NULL;
    clearance_robot_options options = {NULL, 0, 0}, wrong = {NULL, 0, 64}, no_dirs = {NULL, 3, 0};
    const char *dirs[1];
    const char *name;
    size_t dof, links, index;
    double lower[2], upper[2], middle[2], q[2] = {0, 0.5};
    write_file("crane.urdf", urdf);
    char urdf_path[4096];
    snprintf(urdf_path, sizeof urdf_path, "%s", in_folder("crane.urdf"));
    write_file("crane.srdf", srdf);
    dirs[0] = folder;
    options.package_dirs = dirs;
    options.package_dir_count = 1;
    options.flags = CLEARANCE_ROBOT_VISUAL | CLEARANCE_ROBOT_HULLS;
    OK(clearance_robot_load(urdf_path, in_folder("crane.srdf"), &options, &robot));
    OK(clearance_robot_free(robot));
    OK(clearance_robot_from_urdf(urdf, srdf, NULL, &robot));
    FAILS(VALUE, clearance_robot_from_urdf(urdf, NULL, &wrong, &scaled));
    FAILS(POINTER, clearance_robot_from_urdf(urdf, NULL, &no_dirs, &scaled));
    FAILS(FORMAT, clearance_robot_from_urdf("<nonsense", NULL, NULL, &scaled));
    FAILS(POINTER, clearance_robot_from_urdf(NULL, NULL, NULL, &scaled));
    FAILS(IO, clearance_robot_load(in_folder("absent.urdf"), NULL, NULL, &scaled));
    OK(clearance_robot_describe(robot, &name, &dof, &links));
    CHECK(strcmp(name, "crane") == 0 && dof == 2 && links == 3);
    OK(clearance_robot_describe(robot, NULL, NULL, NULL));
    OK(clearance_robot_joint_name(robot, 1, &name));
    CHECK(strcmp(name, "lift") == 0);
    FAILS(VALUE, clearance_robot_joint_name(robot, 2, &name));
    OK(clearance_robot_link_name(robot, 2, &name));
    CHECK(strcmp(name, "hand") == 0);
    FAILS(VALUE, clearance_robot_link_name(robot, SIZE_MAX, &name));
    OK(clearance_robot_link_index(robot, "arm", &index));
    CHECK(index == 1);
    FAILS(NAME, clearance_robot_link_index(robot, "leg", &index));
    size_t variables[2];
    OK(clearance_robot_group(robot, "lifting", variables, 2, &index));
    CHECK(index == 1 && variables[0] == 1);
    OK(clearance_robot_group(robot, "lifting", NULL, 0, &index));
    FAILS(NAME, clearance_robot_group(robot, "legs", variables, 2, &index));
    FAILS(POINTER, clearance_robot_group(robot, "lifting", NULL, 2, &index));
    bool checked = true;
    OK(clearance_robot_is_checked(robot, 0, 2, &checked));
    CHECK(!checked);
    FAILS(VALUE, clearance_robot_is_checked(robot, 0, 3, &checked));
    FAILS(VALUE, clearance_robot_is_checked(robot, SIZE_MAX, 0, &checked));
    FAILS(POINTER, clearance_robot_is_checked(robot, 0, 2, NULL));
    OK(clearance_robot_note(robot, 1000, &name));
    CHECK(name == NULL);
    OK(clearance_robot_limits(robot, 2, lower, upper, middle));
    CHECK(lower[0] == -3 && upper[1] == 1 && middle[0] == 0);
    OK(clearance_robot_limits(robot, 2, NULL, upper, NULL));
    FAILS(VALUE, clearance_robot_limits(robot, 3, lower, upper, middle));
    clearance_pose poses[3], base = at(0, 0, 1);
    OK(clearance_robot_link_poses(robot, &base, q, 2, poses, 3));
    NEAR(poses[2].rows[2][3], 1.5, 1e-12);
    OK(clearance_robot_link_poses(robot, NULL, q, 2, poses, 3));
    FAILS(VALUE, clearance_robot_link_poses(robot, NULL, q, 1, poses, 3));
    FAILS(VALUE, clearance_robot_link_poses(robot, NULL, q, 2, poses, 2));
    FAILS(POINTER, clearance_robot_link_poses(robot, NULL, NULL, 2, poses, 3));
    const char *scaled_links[1] = {"hand"};
    double scales[1] = {2}, no_scale[1] = {0};
    OK(clearance_robot_scale_links(robot, scaled_links, scales, 1, &scaled));
    OK(clearance_robot_free(scaled));
    FAILS(VALUE, clearance_robot_scale_links(robot, scaled_links, no_scale, 1, &scaled));
    FAILS(POINTER, clearance_robot_scale_links(robot, NULL, scales, 1, &scaled));
    OK(clearance_robot_free(robot));
    OK(clearance_robot_free(NULL));
    OK(clearance_robot_humanoid(&robot));
    OK(clearance_robot_describe(robot, NULL, &dof, NULL));
    CHECK(dof == 23);
    FAILS(POINTER, clearance_robot_humanoid(NULL));
    OK(clearance_robot_free(robot));
}

static void checkers(void) {
    clearance_robot *robot = crane();
    clearance_options *options = NULL, *present = NULL;
    clearance_checker *checker = NULL, *clone = NULL;
    clearance_geometry *lamp = sphere(0.1), *cup = sphere(0.05), *back = NULL;
    clearance_scene *scene = NULL;
    clearance_pose above = at(1, 0, 0.9), origin = at(0, 0, 0), pose;
    double zero[2] = {0, 0}, up[2] = {0, 0.75}, far[2] = {2, 0}, wrong[2] = {NAN, 0};
    bool hit;
    OK(clearance_options_new(&options));
    OK(clearance_options_set_padding(options, 0.01));
    OK(clearance_options_set_link_padding(options, "hand", 0.02));
    OK(clearance_options_set_margin(options, 0));
    const char *names[2] = {"hand", "lamp"}, *only[1] = {"hand"};
    double matrix[4] = {0, 0.03, 0.03, 0}, skew[4] = {0, 0.03, 0.01, 0};
    OK(clearance_options_set_margins(options, names, matrix, 2));
    FAILS(VALUE, clearance_options_set_margins(options, names, skew, 2));
    FAILS(POINTER, clearance_options_set_margins(options, names, NULL, 2));
    OK(clearance_options_allow(options, "base", "floor"));
    OK(clearance_options_disable(options, "base", "hand"));
    OK(clearance_options_only(options, only, 1));
    OK(clearance_options_only(options, NULL, 0));
    FAILS(POINTER, clearance_options_allow(options, NULL, "x"));
    FAILS(POINTER, clearance_options_disable(options, "x", NULL));
    FAILS(POINTER, clearance_options_set_padding(NULL, 1));
    FAILS(POINTER, clearance_options_set_link_padding(options, NULL, 1));
    FAILS(POINTER, clearance_options_set_margin(NULL, 1));
    OK(clearance_checker_new(robot, options, &checker));
    OK(clearance_checker_options(checker, &present));
    OK(clearance_options_set_padding(present, -1));
    FAILS(VALUE, clearance_checker_set_options(checker, present));
    OK(clearance_options_set_padding(present, 0));
    OK(clearance_options_set_link_padding(present, "hand", 0));
    OK(clearance_checker_set_options(checker, present));
    OK(clearance_options_free(present));
    OK(clearance_options_free(options));
    OK(clearance_options_free(NULL));
    FAILS(POINTER, clearance_checker_new(NULL, NULL, &clone));
    FAILS(HANDLE, clearance_checker_new((clearance_robot *)checker, NULL, &clone));
    OK(clearance_checker_set_base(checker, &origin));
    OK(clearance_checker_base(checker, &pose));
    CHECK(pose.rows[0][3] == 0 && pose.rows[0][0] == 1);
    FAILS(POINTER, clearance_checker_base(checker, NULL));
    FAILS(POINTER, clearance_checker_set_base(checker, NULL));

    OK(clearance_checker_add(checker, "lamp", lamp, &above));
    FAILS(NAME, clearance_checker_add(checker, "lamp", lamp, &above));
    OK(clearance_checker_collides(checker, zero, 2, &hit));
    CHECK(!hit);
    OK(clearance_checker_collides(checker, up, 2, &hit));
    CHECK(hit);
    /* NULL is the robot where it is. */
    OK(clearance_checker_collides(checker, NULL, 0, &hit));
    CHECK(hit);
    FAILS(VALUE, clearance_checker_collides(checker, up, 1, &hit));
    FAILS(VALUE, clearance_checker_collides(checker, up, 0, &hit));
    FAILS(VALUE, clearance_checker_collides(checker, wrong, 2, &hit));
    FAILS(POINTER, clearance_checker_collides(checker, NULL, 2, &hit));
    FAILS(VALUE, clearance_checker_collides(checker, up, SIZE_MAX, &hit));
    FAILS(POINTER, clearance_checker_collides(checker, up, 2, NULL));
    FAILS(POINTER, clearance_checker_collides(NULL, up, 2, &hit));
    OK(clearance_checker_is_free(checker, zero, 2, &hit));
    CHECK(hit);
    FAILS(POINTER, clearance_checker_is_free(checker, NULL, 2, &hit));
    clearance_hit touch;
    OK(clearance_checker_collision(checker, up, 2, CLEARANCE_ALL, &hit, &touch));
    CHECK(hit && strcmp(touch.a, "hand") == 0 && strcmp(touch.b, "lamp") == 0);
    CHECK(touch.against == CLEARANCE_AGAINST_SCENE);
    OK(clearance_checker_collision(checker, up, 2, CLEARANCE_SELF, &hit, &touch));
    CHECK(!hit);
    OK(clearance_checker_collision(checker, up, 2, CLEARANCE_SCENE, &hit, NULL));
    CHECK(hit);
    FAILS(VALUE, clearance_checker_collision(checker, up, 2, 4, &hit, NULL));
    FAILS(VALUE, clearance_checker_collision(checker, up, 2, 0, &hit, NULL));
    const clearance_hit *hits;
    size_t count;
    OK(clearance_checker_collisions(checker, up, 2, CLEARANCE_ALL, &hits, &count));
    CHECK(count == 1 && strcmp(hits[0].b, "lamp") == 0);
    OK(clearance_checker_collisions(checker, up, 2, CLEARANCE_SELF, &hits, &count));
    CHECK(count == 0);
    OK(clearance_checker_collisions(checker, zero, 2, CLEARANCE_SCENE, &hits, &count));
    CHECK(count == 0);
    FAILS(POINTER, clearance_checker_collisions(checker, up, 2, CLEARANCE_ALL, NULL, &count));

    clearance_robot_distance distance;
    bool found;
    clearance_distance_request request = {0.1, 0, 0, 0, 0};
    OK(clearance_checker_distance(checker, zero, 2, CLEARANCE_SCENE, NULL, &distance, &found));
    /* The margin of the matrix is taken off. */
    CHECK(found && strcmp(distance.a, "hand") == 0 && distance.gradient_count == 2);
    NEAR(distance.upper, 0.67, 1e-9);
    NEAR(distance.gradient[1], -1, 1e-9);
    CHECK(distance.gradient_b_count == 0);
    OK(clearance_checker_distance(checker, zero, 2, CLEARANCE_SCENE, &request, &distance, &found));
    CHECK(!found);
    OK(clearance_checker_distance(checker, zero, 2, CLEARANCE_SELF, NULL, &distance, &found));
    OK(clearance_checker_distance(checker, zero, 2, CLEARANCE_ALL, NULL, &distance, &found));
    CHECK(found);
    FAILS(POINTER, clearance_checker_distance(checker, zero, 2, CLEARANCE_ALL, NULL, NULL, &found));
    const clearance_near_pair *near;
    OK(clearance_checker_near(checker, up, 2, CLEARANCE_ALL, 0.1, &near, &count));
    CHECK(count == 1 && near[0].gradient_count == 2);
    NEAR(near[0].signed_distance, -0.08, 1e-6);
    NEAR(near[0].normal[2], 1, 1e-6);
    OK(clearance_checker_near(checker, up, 2, CLEARANCE_SELF, 0.1, &near, &count));
    OK(clearance_checker_near(checker, up, 2, CLEARANCE_SCENE, 0.1, &near, &count));
    FAILS(VALUE, clearance_checker_near(checker, up, 2, CLEARANCE_ALL, NAN, &near, &count));
    clearance_ray ray = {{1, 0, 5}, {0, 0, -1}, INFINITY}, away = {{1, 0, 5}, {0, 0, 1}, INFINITY};
    clearance_ray_hit ray_hit;
    const char *name;
    OK(clearance_checker_ray(checker, zero, 2, &ray, &ray_hit, &name));
    CHECK(strcmp(name, "lamp") == 0);
    NEAR(ray_hit.t, 4, 1e-9);
    OK(clearance_checker_ray(checker, zero, 2, &away, &ray_hit, &name));
    CHECK(name == NULL && isinf(ray_hit.t));
    FAILS(POINTER, clearance_checker_ray(checker, zero, 2, NULL, &ray_hit, &name));

    /* Link poses of the host. */
    clearance_pose links[3];
    links[0] = origin;
    links[1] = origin;
    links[2] = at(1, 0, 0.75);
    OK(clearance_checker_place_links(checker, links, 3));
    OK(clearance_checker_collides(checker, NULL, 0, &hit));
    CHECK(hit);
    OK(clearance_checker_near(checker, NULL, 0, CLEARANCE_ALL, 0.1, &near, &count));
    CHECK(count == 1 && near[0].gradient_count == 0 && near[0].signed_distance < 0);
    OK(clearance_checker_set_base(checker, &above));
    OK(clearance_checker_link_poses(checker, NULL, 0, links, 3));
    CHECK(links[2].rows[2][3] == 0.75);
    OK(clearance_checker_set_base(checker, &origin));
    FAILS(VALUE, clearance_checker_place_links(checker, links, 2));
    FAILS(POINTER, clearance_checker_place_links(checker, NULL, 3));
    OK(clearance_checker_link_poses(checker, zero, 2, links, 3));
    FAILS(VALUE, clearance_checker_link_poses(checker, zero, 2, links, 1));

    /* What a hand carries. */
    const char *touching[1] = {"arm"};
    OK(clearance_checker_attach(checker, "cup", cup, "hand", &origin, touching, 1));
    FAILS(NAME, clearance_checker_attach(checker, "pot", cup, "leg", &origin, NULL, 0));
    FAILS(POINTER, clearance_checker_attach(checker, "pot", cup, "hand", &origin, NULL, 2));
    OK(clearance_checker_collides(checker, up, 2, &hit));
    OK(clearance_checker_detach(checker, "cup", &back, &pose));
    NEAR(pose.rows[2][3], 0.75, 1e-12);
    OK(clearance_geometry_free(back));
    FAILS(NAME, clearance_checker_detach(checker, "cup", NULL, NULL));

    OK(clearance_checker_clone(checker, &clone));
    FAILS(POINTER, clearance_checker_clone(checker, NULL));
    OK(clearance_checker_move(clone, "lamp", &origin));
    FAILS(NAME, clearance_checker_move(clone, "sun", &origin));
    OK(clearance_checker_replace(clone, "lamp", cup));
    OK(clearance_checker_remove(clone, "lamp"));
    FAILS(NAME, clearance_checker_remove(clone, "lamp"));
    OK(clearance_checker_scene(checker, &scene));
    OK(clearance_checker_set_scene(clone, scene));
    OK(clearance_scene_free(scene));
    FAILS(POINTER, clearance_checker_set_scene(clone, NULL));
    OK(clearance_checker_collides(clone, up, 2, &hit));
    CHECK(hit);

    /* The two robots stand in each other. A checker is not asked about itself. */
    OK(clearance_checker_robot_collision(checker, zero, 2, clone, zero, 2, &hit, &touch));
    CHECK(hit && touch.against == CLEARANCE_AGAINST_ROBOT);
    FAILS(BUSY, clearance_checker_robot_collision(checker, zero, 2, checker, zero, 2, &hit, NULL));
    pose = at(5, 0, 0);
    OK(clearance_checker_set_base(clone, &pose));
    OK(clearance_checker_robot_distance(checker, zero, 2, clone, zero, 2, &distance, &found));
    CHECK(found && distance.lower > 3 && distance.gradient_b_count == 2);
    OK(clearance_checker_robot_near(checker, zero, 2, clone, zero, 2, 10, &near, &count));
    CHECK(count == 9 && near[0].gradient_b_count == 2);
    FAILS(POINTER, clearance_checker_robot_near(checker, zero, 2, NULL, zero, 2, 10, &near, &count));
    FAILS(POINTER, clearance_checker_robot_distance(checker, NULL, 2, clone, zero, 2, &distance, &found));

    /* Motions. */
    clearance_edge edge, edges[2];
    OK(clearance_checker_edge(checker, zero, up, 2, 0, 0, &edge));
    CHECK(edge.verdict == CLEARANCE_VERDICT_CONTACT && strcmp(edge.b, "lamp") == 0);
    CHECK(edge.t_lower <= edge.t_upper && edge.t_upper < 1);
    OK(clearance_checker_edge(checker, zero, far, 2, 1e-3, 1000, &edge));
    CHECK(edge.verdict == CLEARANCE_VERDICT_FREE && edge.clearance > 0 && edge.a == NULL);
    FAILS(VALUE, clearance_checker_edge(checker, zero, far, 2, -1, 0, &edge));
    FAILS(POINTER, clearance_checker_edge(checker, NULL, far, 2, 0, 0, &edge));
    OK(clearance_checker_is_edge_free(checker, zero, far, 2, &hit));
    CHECK(hit);
    FAILS(VALUE, clearance_checker_is_edge_free(checker, zero, far, 1, &hit));
    double waypoints[6] = {0, 0, 1, 0.1, 2, 0};
    OK(clearance_checker_spline(checker, waypoints, 3, 2, edges));
    CHECK(edges[0].verdict == CLEARANCE_VERDICT_FREE && edges[1].verdict == CLEARANCE_VERDICT_FREE);
    OK(clearance_checker_path(checker, waypoints, 3, 2, edges));
    CHECK(edges[0].verdict == CLEARANCE_VERDICT_FREE && edges[1].verdict == CLEARANCE_VERDICT_FREE);
    FAILS(VALUE, clearance_checker_path(checker, waypoints, 1, 2, edges));
    FAILS(VALUE, clearance_checker_path(checker, waypoints, SIZE_MAX, 2, edges));
    FAILS(VALUE, clearance_checker_path(checker, waypoints, 2, 3, edges));
    FAILS(POINTER, clearance_checker_path(checker, waypoints, 3, 2, NULL));
    clearance_edge_clearance nearest;
    OK(clearance_checker_edge_clearance(checker, zero, far, 2, 0.01, &nearest, &found));
    CHECK(found && nearest.lower <= nearest.upper && nearest.lower > 0 && nearest.t >= 0 && nearest.t <= 1);
    CHECK(nearest.a[0] && nearest.b[0]);
    FAILS(VALUE, clearance_checker_edge_clearance(checker, zero, far, 2, NAN, &nearest, &found));
    FAILS(VALUE, clearance_checker_edge_clearance(checker, zero, wrong, 2, 0.01, &nearest, &found));
    FAILS(POINTER, clearance_checker_edge_clearance(checker, zero, far, 2, 0.01, &nearest, NULL));
    FAILS(VALUE, clearance_checker_spline(checker, waypoints, SIZE_MAX, 2, edges));
    FAILS(VALUE, clearance_checker_spline(checker, waypoints, 3, 0, edges));
    OK(clearance_checker_prove(checker, 1, 100));
    clearance_gap gap;
    OK(clearance_checker_link_gap(checker, "base", "hand", 0, &gap));
    CHECK(gap.touch == CLEARANCE_TOUCH_UNCHECKED);
    OK(clearance_checker_link_gap(checker, "base", "arm", 0, &gap));
    CHECK(gap.touch == CLEARANCE_TOUCH_UNCHECKED);
    clearance_checker *plain = NULL;
    OK(clearance_checker_new(robot, NULL, &plain));
    OK(clearance_checker_link_gap(plain, "base", "hand", 0, &gap));
    CHECK(gap.touch == CLEARANCE_TOUCH_UNDECIDED);
    OK(clearance_checker_prove(plain, 1, 0));
    OK(clearance_checker_link_gap(plain, "base", "hand", 0, &gap));
    CHECK(gap.touch == CLEARANCE_TOUCH_NEVER && gap.gap > 0.5 && gap.gap <= gap.nearest);
    OK(clearance_checker_free(plain));
    FAILS(NAME, clearance_checker_link_gap(checker, "base", "leg", 0, &gap));
    FAILS(POINTER, clearance_checker_link_gap(checker, "base", NULL, 0, &gap));
    FAILS(POINTER, clearance_checker_link_gap(checker, "base", "hand", 0, NULL));
    OK(clearance_checker_can_touch(checker, "hand", "lamp", 0, &gap));
    CHECK(gap.touch == CLEARANCE_TOUCH_SOMETIMES);
    OK(clearance_checker_can_touch(checker, "base", "lamp", 0, &gap));
    CHECK(gap.touch == CLEARANCE_TOUCH_NEVER && gap.gap > 0.5);
    FAILS(NAME, clearance_checker_can_touch(checker, "hand", "sun", 0, &gap));
    FAILS(NAME, clearance_checker_can_touch(checker, "leg", "lamp", 0, &gap));
    OK(clearance_checker_reach(checker, "hand", &back));
    double low[3], high[3];
    OK(clearance_geometry_bounding_box(back, low, high));
    CHECK(high[2] >= 1.1 && low[2] <= -1.1 && high[0] < 3);
    OK(clearance_geometry_free(back));
    OK(clearance_checker_reach(checker, NULL, &back));
    OK(clearance_geometry_free(back));
    FAILS(NAME, clearance_checker_reach(checker, "leg", &back));
    FAILS(POINTER, clearance_checker_reach(checker, "hand", NULL));
    OK(clearance_checker_save_proofs(checker, in_folder("proofs")));
    OK(clearance_checker_load_proofs(checker, in_folder("proofs"), 100));
    FAILS(STALE, clearance_checker_load_proofs(checker, in_folder("proofs"), 101));
    FAILS(POINTER, clearance_checker_load_proofs(checker, NULL, 0));
    FAILS(POINTER, clearance_checker_save_proofs(checker, NULL));
    FAILS(POINTER, clearance_checker_prove(NULL, 1, 0));
    FAILS(VALUE, clearance_checker_prove(checker, UINT32_MAX, 10));
    FAILS(VALUE, clearance_checker_prepare_for_planning(checker, UINT32_MAX, false));
    CHECK(clearance_checker_save_planning(checker, in_folder("plan")) != CLEARANCE_STATUS_OK);
    OK(clearance_checker_prepare_for_planning(checker, 1, false));
    OK(clearance_checker_save_planning(checker, in_folder("plan")));
    OK(clearance_checker_load_planning(clone, in_folder("plan")));
    FAILS(IO, clearance_checker_load_planning(clone, in_folder("absent.plan")));
    CHECK(clearance_checker_load_planning(clone, in_folder("crane.urdf")) != CLEARANCE_STATUS_OK);
    FAILS(POINTER, clearance_checker_save_planning(checker, NULL));
    FAILS(POINTER, clearance_checker_load_planning(checker, NULL));
    FAILS(POINTER, clearance_checker_prepare_for_planning(NULL, 1, false));

    /* Batches. */
    double rows[6] = {0, 0, 0, 0.75, 2, 0}, ends[6] = {2, 0, 0, 0, 1, 0}, lower[3], upper[3];
    bool is_free[3];
    OK(clearance_checker_are_free(checker, rows, 3, 2, 2, is_free));
    CHECK(is_free[0] && !is_free[1] && is_free[2]);
    OK(clearance_checker_are_free(checker, NULL, 0, 2, 0, NULL));
    FAILS(VALUE, clearance_checker_are_free(checker, rows, 2, 3, 1, is_free));
    FAILS(VALUE, clearance_checker_are_free(checker, rows, 3, 0, 1, is_free));
    FAILS(VALUE, clearance_checker_are_free(checker, rows, SIZE_MAX / 4, 2, 1, is_free));
    FAILS(POINTER, clearance_checker_are_free(checker, rows, 3, 2, 1, NULL));
    OK(clearance_checker_distances(checker, rows, 3, 2, CLEARANCE_SCENE, NULL, 2, lower, upper));
    CHECK(lower[0] <= 0.67 && 0.67 <= upper[0] + 1e-9 && upper[1] == 0);
    OK(clearance_checker_distances(checker, rows, 3, 2, CLEARANCE_ALL, &request, 1, lower, upper));
    OK(clearance_checker_distances(checker, rows, 3, 2, CLEARANCE_SELF, NULL, 1, lower, upper));
    FAILS(POINTER, clearance_checker_distances(checker, rows, 3, 2, CLEARANCE_ALL, NULL, 1, lower, NULL));
    OK(clearance_checker_are_edges_free(checker, rows, ends, 3, 2, 1, is_free));
    CHECK(is_free[0] && !is_free[1] && is_free[2]);
    FAILS(POINTER, clearance_checker_are_edges_free(checker, rows, NULL, 3, 2, 1, is_free));

    OK(clearance_checker_free(clone));
    OK(clearance_checker_free(checker));
    OK(clearance_checker_free(NULL));
    OK(clearance_geometry_free(lamp));
    OK(clearance_geometry_free(cup));
    OK(clearance_robot_free(robot));
}

static void worlds(void) {
    clearance_world *world = NULL;
    clearance_geometry *ball = sphere(0.5);
    clearance_pose here = at(0, 0, 0), there = at(3, 0, 0), close = at(0.9, 0, 0), pose;
    clearance_body_pair pairs[2];
    clearance_neighbor neighbors[2];
    clearance_distance distance;
    uint64_t a, b;
    size_t count;
    OK(clearance_world_new(0, &world));
    FAILS(VALUE, clearance_world_new(-1, &world));
    OK(clearance_world_add(world, ball, &here, &a));
    OK(clearance_world_add(world, ball, &there, &b));
    FAILS(POINTER, clearance_world_add(world, NULL, &here, &a));
    OK(clearance_world_step(world));
    OK(clearance_world_pairs(world, CLEARANCE_PAIRS_ALL, pairs, 2, &count));
    CHECK(count == 0);
    OK(clearance_world_move(world, b, &close));
    OK(clearance_world_pose(world, b, &pose));
    CHECK(pose.rows[0][3] == 0.9);
    OK(clearance_world_step(world));
    OK(clearance_world_pairs(world, CLEARANCE_PAIRS_BEGAN, pairs, 2, &count));
    CHECK(count == 1 && pairs[0].a == a && pairs[0].b == b);
    OK(clearance_world_pairs(world, CLEARANCE_PAIRS_ALL, NULL, 0, &count));
    CHECK(count == 1);
    FAILS(VALUE, clearance_world_pairs(world, 7, pairs, 2, &count));
    FAILS(POINTER, clearance_world_pairs(world, CLEARANCE_PAIRS_ALL, pairs, 2, NULL));
    OK(clearance_world_distance(world, a, b, NULL, &distance));
    CHECK(distance.upper == 0);
    FAILS(NAME, clearance_world_distance(world, a, 99, NULL, &distance));
    OK(clearance_world_nearest(world, a, 10, neighbors, 2, &count));
    CHECK(count == 1 && neighbors[0].body == b);
    FAILS(VALUE, clearance_world_nearest(world, a, NAN, neighbors, 2, &count));
    FAILS(VALUE, clearance_world_nearest(world, a, -1, neighbors, 2, &count));
    OK(clearance_world_exclude(world, a, b, true));
    OK(clearance_world_step(world));
    OK(clearance_world_pairs(world, CLEARANCE_PAIRS_ENDED, pairs, 2, &count));
    CHECK(count == 1);
    OK(clearance_world_exclude(world, a, b, false));
    OK(clearance_world_step(world));
    OK(clearance_world_pairs(world, CLEARANCE_PAIRS_ALL, pairs, 2, &count));
    CHECK(count == 1);
    OK(clearance_world_set_groups(world, b, 2, 2));
    OK(clearance_world_step(world));
    OK(clearance_world_pairs(world, CLEARANCE_PAIRS_ALL, pairs, 2, &count));
    CHECK(count == 0);
    FAILS(NAME, clearance_world_set_groups(world, 99, 1, 1));
    FAILS(POINTER, clearance_world_set_groups(NULL, a, 1, 1));
    OK(clearance_world_remove(world, b));
    FAILS(NAME, clearance_world_remove(world, b));
    FAILS(NAME, clearance_world_move(world, b, &here));
    FAILS(NAME, clearance_world_pose(world, b, &pose));
    FAILS(NAME, clearance_world_exclude(world, a, b, true));
    FAILS(NAME, clearance_world_nearest(world, b, 1, neighbors, 2, &count));
    OK(clearance_world_step(world));
    FAILS(POINTER, clearance_world_step(NULL));
    OK(clearance_world_free(world));
    OK(clearance_world_free(NULL));
    OK(clearance_geometry_free(ball));
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    folder = argv[1];
    CHECK(clearance_last_error()[0] == 0);
    versions();
    geometries();
    pairs();
    voxels();
    scenes();
    robots();
    checkers();
    worlds();
    printf("%d checks\n", checks);
    return 0;
}
