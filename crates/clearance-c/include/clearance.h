/* clearance: certified proximity queries for robots. Made by cbindgen from crates/clearance-c; do not edit.
 *
 * Calls. Every function that can fail returns a clearance_status; clearance_last_error() has the message, one
 * for each thread. Where a call fails, nothing was written through its pointers. Pointers must not be NULL
 * unless the function says so, and arrays of one call must not overlap.
 *
 * Handles. What `clearance_…_new`, `_load`, `_clone` and the like return belongs to the caller, who frees it
 * by the kind's `_free`. Geometries, motions and robots never change: any number of threads may use one. All
 * other handles are used by one call at a time; a second one at the same time is refused
 * (CLEARANCE_STATUS_BUSY), and each thread needs a clone. Nothing may use a handle after it is freed, nor
 * while it is freed. What a handle was made of may be freed before it.
 *
 * Lists and names in answers belong to the handle that was asked and live until the next call with it.
 *
 * Texts are UTF-8 and end in a zero; paths are what the system takes. Lengths are metres, angles are radians.
 */


#ifndef CLEARANCE_H
#define CLEARANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CLEARANCE_STATUS_OK if the library that is loaded is what this header was made for. */
#define CLEARANCE_CHECK_ABI() clearance_check_abi(CLEARANCE_ABI_VERSION)


/*
 A flag for what questions are about: the robot against itself.
 */
#define CLEARANCE_SELF 1

/*
 A flag for what questions are about: the robot against the scene.
 */
#define CLEARANCE_SCENE 2

/*
 What most questions are about: the robot against itself and the scene.
 */
#define CLEARANCE_ALL 3

/*
 Which geometry of a URDF file is read, a flag of `clearance_robot_options`: the visual one.
 */
#define CLEARANCE_ROBOT_VISUAL 1

/*
 A flag of `clearance_robot_options`: the convex hulls of meshes in their place.
 */
#define CLEARANCE_ROBOT_HULLS 2

/*
 What stands where there is no number of a triangle or of another leaf.
 */
#define CLEARANCE_NONE UINT32_MAX

/*
 The version of the binary interface: it grows with every change that old programs would not
 survive.
 */
#define CLEARANCE_ABI_VERSION 1

/*
 What became of a call. Where it is not `CLEARANCE_STATUS_OK`, `clearance_last_error` has the
 message, and nothing was written through the call's pointers.
 */
enum clearance_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   It is done.
   */
  CLEARANCE_STATUS_OK = 0,
  /*
   A file could not be opened, read or written.
   */
  CLEARANCE_STATUS_IO = 1,
  /*
   A file contradicts its format, or is of no known format.
   */
  CLEARANCE_STATUS_FORMAT = 2,
  /*
   A number, or how many there are, is not allowed there.
   */
  CLEARANCE_STATUS_VALUE = 3,
  /*
   Triangles or points do not make what was asked for.
   */
  CLEARANCE_STATUS_GEOMETRY = 4,
  /*
   A name refers to nothing, or is used twice.
   */
  CLEARANCE_STATUS_NAME = 5,
  /*
   No test exists for this pair, or a file asks for what is not supported.
   */
  CLEARANCE_STATUS_UNSUPPORTED = 6,
  /*
   A file holds more than is allowed.
   */
  CLEARANCE_STATUS_TOO_LARGE = 7,
  /*
   A saved proof belongs to something else.
   */
  CLEARANCE_STATUS_STALE = 8,
  /*
   A pointer that must not be NULL is, or is not aligned.
   */
  CLEARANCE_STATUS_POINTER = 9,
  /*
   A handle is of another kind, or was freed.
   */
  CLEARANCE_STATUS_HANDLE = 10,
  /*
   The handle is in use by another call; each thread needs a clone.
   */
  CLEARANCE_STATUS_BUSY = 11,
  /*
   A text is not UTF-8.
   */
  CLEARANCE_STATUS_TEXT = 12,
  /*
   The program was compiled for another version of the binary interface.
   */
  CLEARANCE_STATUS_ABI = 13,
  /*
   The library failed within: a bug. Handles that were written to can only be freed.
   */
  CLEARANCE_STATUS_INTERNAL = 14,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum clearance_status clearance_status;
#else
typedef int32_t clearance_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What a part of a robot is checked against.
 */
enum clearance_against
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Another part of the same robot.
   */
  CLEARANCE_AGAINST_ITSELF = 0,
  /*
   An object of the scene.
   */
  CLEARANCE_AGAINST_SCENE = 1,
  /*
   A part of another robot.
   */
  CLEARANCE_AGAINST_ROBOT = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum clearance_against clearance_against;
#else
typedef int32_t clearance_against;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 Why a search for a distance ended.
 */
enum clearance_end
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   The interval is as narrow as rounding allows.
   */
  CLEARANCE_END_EXACT = 0,
  /*
   The interval is as narrow as asked for.
   */
  CLEARANCE_END_TOLERANCE = 1,
  /*
   The distance is at most `min_distance`.
   */
  CLEARANCE_END_BELOW_MIN = 2,
  /*
   The distance is at least `max_distance`.
   */
  CLEARANCE_END_BEYOND_MAX = 3,
  /*
   Arithmetic ended first: the interval is wider than asked for.
   */
  CLEARANCE_END_INEXACT = 4,
  /*
   The budget is used up; the interval holds all the same.
   */
  CLEARANCE_END_BUDGET = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum clearance_end clearance_end;
#else
typedef int32_t clearance_end;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What is known about a statement.
 */
enum clearance_truth
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   It is false.
   */
  CLEARANCE_TRUTH_FALSE = 0,
  /*
   It is true.
   */
  CLEARANCE_TRUTH_TRUE = 1,
  /*
   It is not known.
   */
  CLEARANCE_TRUTH_UNKNOWN = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum clearance_truth clearance_truth;
#else
typedef int32_t clearance_truth;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What becomes of a motion.
 */
enum clearance_verdict
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   It is proven free of collisions.
   */
  CLEARANCE_VERDICT_FREE = 0,
  /*
   It is in collision, or not free by more than the tolerance.
   */
  CLEARANCE_VERDICT_CONTACT = 1,
  /*
   The search gave up; what is proven stands beside it.
   */
  CLEARANCE_VERDICT_UNDECIDED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum clearance_verdict clearance_verdict;
#else
typedef int32_t clearance_verdict;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What is known of two things over all configurations within the joint limits.
 */
enum clearance_touch
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   They never come closer than `gap`.
   */
  CLEARANCE_TOUCH_NEVER = 0,
  /*
   They collide in some configuration.
   */
  CLEARANCE_TOUCH_SOMETIMES = 1,
  /*
   They collided in every configuration that was tried.
   */
  CLEARANCE_TOUCH_ALWAYS = 2,
  /*
   It is not known: nothing was proven, or the evaluations did not suffice.
   */
  CLEARANCE_TOUCH_UNDECIDED = 3,
  /*
   Nothing checks them: they are neighbours, or the pair is disabled.
   */
  CLEARANCE_TOUCH_UNCHECKED = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum clearance_touch clearance_touch;
#else
typedef int32_t clearance_touch;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 How the sign of a point's distance was found.
 */
enum clearance_sign
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   The surface is closed: inside and outside are decided.
   */
  CLEARANCE_SIGN_CLOSED = 0,
  /*
   The mesh is open: a guess by its winding number about the point.
   */
  CLEARANCE_SIGN_WINDING = 1,
  /*
   The geometry has no inside.
   */
  CLEARANCE_SIGN_UNSIGNED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum clearance_sign clearance_sign;
#else
typedef int32_t clearance_sign;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What a cell is.
 */
enum clearance_cell
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Nothing is there.
   */
  CLEARANCE_CELL_FREE = 0,
  /*
   Nobody knows.
   */
  CLEARANCE_CELL_UNKNOWN = 1,
  /*
   Something is there.
   */
  CLEARANCE_CELL_OBSTACLE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum clearance_cell clearance_cell;
#else
typedef int32_t clearance_cell;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 Which pairs of the last step `clearance_world_pairs` lists.
 */
enum clearance_pairs
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   All whose boxes overlap.
   */
  CLEARANCE_PAIRS_ALL = 0,
  /*
   Those that are new.
   */
  CLEARANCE_PAIRS_BEGAN = 1,
  /*
   Those that ended.
   */
  CLEARANCE_PAIRS_ENDED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum clearance_pairs clearance_pairs;
#else
typedef int32_t clearance_pairs;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 A robot in its scene, with the scratch memory and the warm starts of one thread: clone one for each.

 A configuration is `dof` numbers in the order of `clearance_robot_joint_name`. Where it is NULL,
 `dof` must be 0, and the question is about the robot where it was placed last: by another question
 that takes NULL too, or by `clearance_checker_place_links`. Batches, edges, splines and
 `clearance_checker_is_free` place nothing.
 */
typedef struct clearance_checker clearance_checker;

/*
 A set of points that queries are about. It never changes: any number of pairs, scenes and threads
 may use it, and keep what they need of it when it is freed.
 */
typedef struct clearance_geometry clearance_geometry;

/*
 How a body moves, from time 0 to its duration. It never changes, so that threads share it.
 */
typedef struct clearance_motion clearance_motion;

/*
 Paddings, margins and pairs of a checker, which copies them. Names are those of links, attached
 objects and objects of the scene.
 */
typedef struct clearance_options clearance_options;

/*
 Two geometries, with the scratch memory and the warm starts of one thread: clone one for each.

 In all its questions the pose `a_from_b` is that of B in A's frame.
 */
typedef struct clearance_pair clearance_pair;

/*
 A kinematic tree with geometry. It never changes, so that threads share it.
 */
typedef struct clearance_robot clearance_robot;

/*
 Named objects that come, go and move. Checkers copy a scene; the geometries are shared.
 */
typedef struct clearance_scene clearance_scene;

/*
 An occupancy grid that grows with what is measured.
 */
typedef struct clearance_voxel_map clearance_voxel_map;

/*
 Bodies that move, with the pairs that are near each other (broad phase).
 */
typedef struct clearance_world clearance_world;

/*
 Two things that touch, by their names, which belong to the checker and live until its next call.
 */
typedef struct clearance_hit {
  /*
   The link of the robot, or the object that it carries.
   */
  const char *a;
  /*
   The other link, attached object or object of the scene.
   */
  const char *b;
  /*
   Which of these `b` is.
   */
  clearance_against against;
} clearance_hit;

/*
 How exact a distance must be. All zeros ask for the exact distance, however large: a number that
 is 0 has no effect.
 */
typedef struct clearance_distance_request {
  /*
   Geometries this far apart or farther are not measured; 0 is no limit.
   */
  double max_distance;
  /*
   Geometries this near or nearer are not measured.
   */
  double min_distance;
  /*
   The allowed `(upper - lower) / upper`.
   */
  double rel_err;
  /*
   The allowed `upper - lower`.
   */
  double abs_err;
  /*
   Where the search ends with what it has proven, whatever the interval; 0 is nowhere.
   */
  uint64_t max_steps;
} clearance_distance_request;

/*
 The distance of the nearest two things. Names and gradients belong to the checker and live until
 its next call.
 */
typedef struct clearance_robot_distance {
  /*
   At most the distance, paddings and margins taken off.
   */
  double lower;
  /*
   At least the distance.
   */
  double upper;
  /*
   The link of the robot, or the object that it carries.
   */
  const char *a;
  /*
   The other link, attached object or object of the scene.
   */
  const char *b;
  /*
   Which of these `b` is.
   */
  clearance_against against;
  /*
   Why the search ended.
   */
  clearance_end end;
  /*
   On `a`, in the world.
   */
  double point_a[3];
  /*
   On `b`, in the world.
   */
  double point_b[3];
  /*
   Of unit length, from `a` to `b`.
   */
  double normal[3];
  /*
   The derivative of the distance by each joint variable.
   */
  const double *gradient;
  /*
   How many numbers it has; 0 where the links were placed one by one.
   */
  size_t gradient_count;
  /*
   The same by the variables of the other robot.
   */
  const double *gradient_b;
  /*
   How many numbers it has; 0 where there is no other robot.
   */
  size_t gradient_b_count;
} clearance_robot_distance;

/*
 Two things that are near to each other or overlap, with their signed distance. Names and gradients
 belong to the checker and live until its next call.
 */
typedef struct clearance_near_pair {
  /*
   The link of the robot, or the object that it carries.
   */
  const char *a;
  /*
   The other link, attached object or object of the scene.
   */
  const char *b;
  /*
   Which of these `b` is.
   */
  clearance_against against;
  /*
   Why the search ended.
   */
  clearance_end end;
  /*
   Negative by the depth where they overlap; paddings and margins are taken off.
   */
  double signed_distance;
  /*
   At most the signed distance.
   */
  double lower;
  /*
   At least the signed distance.
   */
  double upper;
  /*
   On `a`, in the world: nearest to `b`, or deepest in it.
   */
  double point_a[3];
  /*
   On `b`, in the world.
   */
  double point_b[3];
  /*
   Of unit length, from `a` to `b`: moved this way, `b` gets farther from `a`.
   */
  double normal[3];
  /*
   The derivative of the signed distance by each joint variable.
   */
  const double *gradient;
  /*
   How many numbers it has; 0 where the links were placed one by one.
   */
  size_t gradient_count;
  /*
   The same by the variables of the other robot.
   */
  const double *gradient_b;
  /*
   How many numbers it has; 0 where there is no other robot.
   */
  size_t gradient_b_count;
  /*
   Whether the nearest points are the only ones, so that the gradient is a derivative.
   */
  clearance_truth unique;
} clearance_near_pair;

/*
 A ray: all points `origin + t·direction` with `0 <= t <= max_t`.
 */
typedef struct clearance_ray {
  /*
   Where it begins.
   */
  double origin[3];
  /*
   Of any length but 0.
   */
  double direction[3];
  /*
   Where it ends; `INFINITY` nowhere.
   */
  double max_t;
} clearance_ray;

/*
 Where a ray meets a surface.
 */
typedef struct clearance_ray_hit {
  /*
   Where on the ray; infinite where it meets nothing.
   */
  double t;
  /*
   That point; NaN where it meets nothing.
   */
  double point[3];
  /*
   The surface's unit normal.
   */
  double normal[3];
  /*
   The triangle or other leaf, or `CLEARANCE_NONE`.
   */
  uint32_t leaf;
  /*
   The part of a geometry that has parts; 0 of others.
   */
  uint32_t part;
} clearance_ray_hit;

/*
 A pose `a_from_b`: it maps coordinates of frame B to frame A. These are the upper three rows of
 its 4×4 matrix: the rotation, and the translation in the last column.

 Rotations within 1e-3 of a rotation are normalised, others are an error.
 */
typedef struct clearance_pose {
  /*
   Row by row.
   */
  double rows[3][4];
} clearance_pose;

/*
 What becomes of a motion; times go from 0 to 1. What a verdict does not have is NaN, or NULL. Names
 belong to the checker and live until its next call.
 */
typedef struct clearance_edge {
  /*
   What becomes of the motion.
   */
  clearance_verdict verdict;
  /*
   Contact: what `b` is.
   */
  clearance_against against;
  /*
   Free: everything is farther apart than this at every time.
   */
  double clearance;
  /*
   Contact: the first contact is not before this time … Undecided: free until here.
   */
  double t_lower;
  /*
   … and at this time the two are within `gap`.
   */
  double t_upper;
  /*
   Contact: how near they are at `t_upper`; 0 if and only if contact is proven.
   */
  double gap;
  /*
   Undecided: the part of the motion that is proven free.
   */
  double proven;
  /*
   Contact: the link of the robot, or the object that it carries.
   */
  const char *a;
  /*
   Contact: the other link, attached object or object of the scene.
   */
  const char *b;
} clearance_edge;

/*
 How near the robot comes to anything along a straight motion.
 */
typedef struct clearance_edge_clearance {
  /*
   At most the clearance at any time.
   */
  double lower;
  /*
   The clearance at `t`, or more.
   */
  double upper;
  /*
   When `a` and `b` are so near, from 0 to 1.
   */
  double t;
  /*
   The link of the robot, or the object that it carries.
   */
  const char *a;
  /*
   The other link, attached object or object of the scene.
   */
  const char *b;
  /*
   Which of these `b` is.
   */
  clearance_against against;
} clearance_edge_clearance;

/*
 What is known of two things over all configurations within the joint limits.
 */
typedef struct clearance_gap {
  /*
   Whether they can touch.
   */
  clearance_touch touch;
  /*
   Never: a proven bound of their distance, infinite where one has no geometry. Others: 0.
   */
  double gap;
  /*
   Never, undecided: the smallest distance met; infinite if none was looked at. Others: 0.
   */
  double nearest;
} clearance_gap;

/*
 How a mesh is made. All zeros are a surface in the units of its coordinates.
 */
typedef struct clearance_mesh_options {
  /*
   Multiplies coordinates along x, y and z; 0 counts as 1.
   */
  double scale[3];
  /*
   1 for a solid: what lies inside of the mesh belongs to it, an error where it is not closed.
   */
  uint32_t solid;
  /*
   How many threads build the hierarchy, and 0 is one.
   */
  uint32_t threads;
} clearance_mesh_options;

/*
 The signed distance of a point from a geometry: negative inside.
 */
typedef struct clearance_point_distance {
  /*
   The signed distance, rounded.
   */
  double distance;
  /*
   At most the signed distance.
   */
  double lower;
  /*
   At least the signed distance.
   */
  double upper;
  /*
   The nearest point of the surface.
   */
  double nearest[3];
  /*
   The direction of steepest ascent, of unit length.
   */
  double gradient[3];
  /*
   The triangle or other leaf that is nearest.
   */
  uint32_t leaf;
  /*
   The part of a geometry that has parts; 0 of others.
   */
  uint32_t part;
  /*
   How the sign was found.
   */
  clearance_sign sign;
} clearance_point_distance;

/*
 A certified distance: `lower <= distance <= upper`, 0 where the two touch.
 */
typedef struct clearance_distance {
  /*
   At most the distance.
   */
  double lower;
  /*
   At least the distance; infinite where it is beyond `max_distance`.
   */
  double upper;
  /*
   The witness point on A, in A's frame; NaN where there is none. The points are `upper` apart.
   */
  double point_a[3];
  /*
   That on B, in A's frame.
   */
  double point_b[3];
  /*
   The triangle or other leaf of A that the point lies on, or `CLEARANCE_NONE`.
   */
  uint32_t leaf_a;
  /*
   That of B.
   */
  uint32_t leaf_b;
  /*
   Why the search ended.
   */
  clearance_end end;
} clearance_distance;

/*
 The derivative of a distance by the poses of A and B in A's frame.
 */
typedef struct clearance_gradient {
  /*
   By a translation of A, then by a rotation about A's origin.
   */
  double by_a[6];
  /*
   By a translation of B, then by a rotation about B's origin.
   */
  double by_b[6];
  /*
   Whether the nearest points are the only ones, so that it is a derivative.
   */
  clearance_truth unique;
} clearance_gradient;

/*
 How exact a depth must be. All zeros are the defaults.
 */
typedef struct clearance_depth_request {
  /*
   The allowed `(upper - lower) / upper`; 0 is 1e-6.
   */
  double rel_err;
  /*
   The allowed `upper - lower`.
   */
  double abs_err;
  /*
   Where the search ends, whatever the interval; 0 leaves it to the library.
   */
  uint64_t max_steps;
} clearance_depth_request;

/*
 A certified signed distance: positive apart, minus the penetration depth where the two overlap.
 */
typedef struct clearance_signed_distance {
  /*
   What the points realise, between the bounds.
   */
  double signed_distance;
  /*
   At most the signed distance.
   */
  double lower;
  /*
   At least the signed distance.
   */
  double upper;
  /*
   From A to B, of unit length, in A's frame: B moves along it to get farther away.
   */
  double normal[3];
  /*
   On A, in its frame: nearest to B, or deepest in it.
   */
  double point_a[3];
  /*
   On B, in A's frame.
   */
  double point_b[3];
  /*
   Why the search ended.
   */
  clearance_end end;
} clearance_signed_distance;

/*
 The least translation that separates two solids.
 */
typedef struct clearance_penetration {
  /*
   A shift by less, in any direction, does not separate them.
   */
  double lower;
  /*
   A shift of B by this much along `normal` does.
   */
  double upper;
  /*
   Where B leaves A soonest, of unit length, in A's frame.
   */
  double normal[3];
  /*
   The point of A that is deepest in B.
   */
  double point_a[3];
  /*
   The point of B that is deepest in A.
   */
  double point_b[3];
  /*
   Why the search ended.
   */
  clearance_end end;
} clearance_penetration;

/*
 Two leaves that touch, or nearly so.
 */
typedef struct clearance_contact {
  /*
   The triangle or other leaf of A.
   */
  uint32_t leaf_a;
  /*
   That of B.
   */
  uint32_t leaf_b;
  /*
   0 if they overlap.
   */
  double distance;
  /*
   Of unit length, from A to B, in A's frame.
   */
  double normal[3];
  /*
   In A's frame. Of an overlap: a point, the ends of a segment or the vertices of a polygon.
   Apart: the nearest points of A and of B.
   */
  const double (*points)[3];
  /*
   How many points there are.
   */
  size_t point_count;
} clearance_contact;

/*
 The first contact of two bodies that move. What a verdict does not have is NaN.
 */
typedef struct clearance_impact {
  /*
   What becomes of the motion.
   */
  clearance_verdict verdict;
  /*
   The time until which it is proven free.
   */
  double free_until;
  /*
   Free: the clearance is always larger than the request's distance by this much.
   */
  double margin;
  /*
   Contact: the first contact is not before this time …
   */
  double t_lower;
  /*
   … and at this time the bodies are within the request's distance and `gap`.
   */
  double t_upper;
  /*
   Contact: 0 if and only if it is proven.
   */
  double gap;
  /*
   Contact: a point of A at or just before it, in the world.
   */
  double point[3];
  /*
   Contact: from A to B, of unit length; NaN for bodies that overlap from the start.
   */
  double normal[3];
  /*
   Contact: the leaf of A, or `CLEARANCE_NONE`.
   */
  uint32_t leaf_a;
  /*
   Contact: that of B.
   */
  uint32_t leaf_b;
} clearance_impact;

/*
 How a robot is read. All zeros are the defaults.
 */
typedef struct clearance_robot_options {
  /*
   Folders that hold packages, for `package://` in the file; may be NULL if there is none.
   */
  const char *const *package_dirs;
  /*
   How many folders.
   */
  size_t package_dir_count;
  /*
   Sums of `CLEARANCE_ROBOT_…`.
   */
  uint64_t flags;
} clearance_robot_options;

/*
 A camera without distortion: x to the right, y down, z along the optical axis.
 */
typedef struct clearance_depth_camera {
  /*
   Pixels in a row.
   */
  uint64_t width;
  /*
   How many rows.
   */
  uint64_t height;
  /*
   Focal lengths along x and y, in pixels.
   */
  double focal[2];
  /*
   The principal point, in pixels.
   */
  double principal[2];
} clearance_depth_camera;

/*
 What a scan has changed.
 */
typedef struct clearance_scan {
  /*
   How many rays were traced; of those that end in one cell, one.
   */
  size_t rays;
  /*
   How many cells were hit.
   */
  size_t hits;
  /*
   How many cells rays cross and do not hit.
   */
  size_t misses;
} clearance_scan;

/*
 Two bodies.
 */
typedef struct clearance_body_pair {
  /*
   That with the lower number.
   */
  uint64_t a;
  /*
   That with the higher number.
   */
  uint64_t b;
} clearance_body_pair;

/*
 A body near another one: the distance is between the bounds.
 */
typedef struct clearance_neighbor {
  /*
   The number of the body.
   */
  uint64_t body;
  /*
   At most the distance.
   */
  double lower;
  /*
   At least the distance.
   */
  double upper;
} clearance_neighbor;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 The message of the last call of this thread that failed; "" if none has. It lives until the next
 one fails, or the thread ends.
 */
const char *clearance_last_error(void);

/*
 Whether the robot touches itself or the scene.

 # Safety
 `checker` is a handle; `configuration` has `dof` numbers, or is NULL; `colliding` can be written.
 */
clearance_status clearance_checker_collides(struct clearance_checker *checker,
                                            const double *configuration,
                                            size_t dof,
                                            bool *colliding);

/*
 Whether nothing touches: the opposite of `clearance_checker_collides`, and several times as fast
 after `clearance_checker_prepare_for_planning`.

 # Safety
 `checker` is a handle; `configuration` has `dof` numbers; `is_free` can be written.
 */
clearance_status clearance_checker_is_free(struct clearance_checker *checker,
                                           const double *configuration,
                                           size_t dof,
                                           bool *is_free);

/*
 Two things that touch, if there are any; `which` is a sum of `CLEARANCE_SELF` and
 `CLEARANCE_SCENE`. Where `colliding` is false, `hit` is not written.

 # Safety
 `checker` is a handle; `configuration` has `dof` numbers, or is NULL; `colliding` can be written;
 `hit` can be written, or is NULL.
 */
clearance_status clearance_checker_collision(struct clearance_checker *checker,
                                             const double *configuration,
                                             size_t dof,
                                             uint32_t which,
                                             bool *colliding,
                                             struct clearance_hit *hit);

/*
 All pairs that touch; `which` is a sum of `CLEARANCE_SELF` and `CLEARANCE_SCENE`.

 # Safety
 `checker` is a handle; `configuration` has `dof` numbers, or is NULL; `hits` and `count` can be
 written. `*hits` belongs to the checker and lives until its next call.
 */
clearance_status clearance_checker_collisions(struct clearance_checker *checker,
                                              const double *configuration,
                                              size_t dof,
                                              uint32_t which,
                                              const struct clearance_hit **hits,
                                              size_t *count);

/*
 The distance of the nearest two things; `which` is a sum of `CLEARANCE_SELF` and
 `CLEARANCE_SCENE`. `found` is false, and nothing else is written, where nothing is checked or near
 enough for the request.

 # Safety
 `checker` is a handle; `configuration` has `dof` numbers, or is NULL; `request` can be read, or is
 NULL for the exact distance; `distance` and `found` can be written. Names and gradients belong to
 the checker and live until its next call.
 */
clearance_status clearance_checker_distance(struct clearance_checker *checker,
                                            const double *configuration,
                                            size_t dof,
                                            uint32_t which,
                                            const struct clearance_distance_request *request,
                                            struct clearance_robot_distance *distance,
                                            bool *found);

/*
 All pairs nearer than `max_distance`, and those that overlap, with signed distances, points,
 normals and gradients: rows for an optimiser, contacts with their depths for a planning framework.
 `which` is a sum of `CLEARANCE_SELF` and `CLEARANCE_SCENE`.

 # Safety
 `checker` is a handle; `configuration` has `dof` numbers, or is NULL; `pairs` and `count` can be
 written. `*pairs`, with names and gradients, belongs to the checker and lives until its next call.
 */
clearance_status clearance_checker_near(struct clearance_checker *checker,
                                        const double *configuration,
                                        size_t dof,
                                        uint32_t which,
                                        double max_distance,
                                        const struct clearance_near_pair **pairs,
                                        size_t *count);

/*
 Where a ray of the world first meets the robot or the scene, and the name of what it meets; `name`
 is NULL where that is nothing.

 # Safety
 `checker` is a handle; `configuration` has `dof` numbers, or is NULL; `ray` can be read; `hit` and
 `name` can be written. `*name` belongs to the checker and lives until its next call.
 */
clearance_status clearance_checker_ray(struct clearance_checker *checker,
                                       const double *configuration,
                                       size_t dof,
                                       const struct clearance_ray *ray,
                                       struct clearance_ray_hit *hit,
                                       const char **name);

/*
 Puts every link at a pose of its own in the world, in the order of `clearance_robot_link_name`: for
 hosts that compute the kinematics themselves. Questions about a configuration of NULL are about the
 robot as it is placed so; they have no gradients.

 # Safety
 `checker` is a handle; `world_from_links` has `count` elements.
 */
clearance_status clearance_checker_place_links(struct clearance_checker *checker,
                                               const struct clearance_pose *world_from_links,
                                               size_t count);

/*
 The poses of all links in the world, in the order of `clearance_robot_link_name`.

 # Safety
 `checker` is a handle; `configuration` has `dof` numbers, or is NULL; `poses` has `count` elements.
 */
clearance_status clearance_checker_link_poses(struct clearance_checker *checker,
                                              const double *configuration,
                                              size_t dof,
                                              struct clearance_pose *poses,
                                              size_t count);

/*
 Whether each of `count` configurations, rows of `dof` numbers, is collision-free; `threads` 0 is all
 of the machine.

 # Safety
 `checker` is a handle; `configurations` has `count·dof` numbers, `is_free` has `count` elements.
 */
clearance_status clearance_checker_are_free(struct clearance_checker *checker,
                                            const double *configurations,
                                            size_t count,
                                            size_t dof,
                                            uint32_t threads,
                                            bool *is_free);

/*
 The distances of the nearest two things in `count` configurations, rows of `dof` numbers, as
 certified intervals; infinite where nothing is checked or near enough. `which` is a sum of
 `CLEARANCE_SELF` and `CLEARANCE_SCENE`.

 # Safety
 `checker` is a handle; `configurations` has `count·dof` numbers; `request` can be read, or is NULL
 for exact distances; `lower` and `upper` have `count` elements.
 */
clearance_status clearance_checker_distances(struct clearance_checker *checker,
                                             const double *configurations,
                                             size_t count,
                                             size_t dof,
                                             uint32_t which,
                                             const struct clearance_distance_request *request,
                                             uint32_t threads,
                                             double *lower,
                                             double *upper);

/*
 Whether each of `count` straight motions, from rows of `dof` numbers to rows of `dof` numbers, is
 proven free; `threads` 0 is all of the machine.

 # Safety
 `checker` is a handle; `from` and `to` have `count·dof` numbers, `is_free` has `count` elements.
 */
clearance_status clearance_checker_are_edges_free(struct clearance_checker *checker,
                                                  const double *from,
                                                  const double *to,
                                                  size_t count,
                                                  size_t dof,
                                                  uint32_t threads,
                                                  bool *is_free);

/*
 What becomes of the straight motion between two configurations, proven at every time: free, or the
 first contact, or undecided after `max_evaluations`. A `tolerance` of 0 is 1e-5, and 0 evaluations
 are the default of a million.

 # Safety
 `checker` is a handle; `from` and `to` have `dof` numbers; `edge` can be written.
 */
clearance_status clearance_checker_edge(struct clearance_checker *checker,
                                        const double *from,
                                        const double *to,
                                        size_t dof,
                                        double tolerance,
                                        size_t max_evaluations,
                                        struct clearance_edge *edge);

/*
 Whether the straight motion between two configurations is proven free; several times as fast after
 `clearance_checker_prepare_for_planning`.

 # Safety
 `checker` is a handle; `from` and `to` have `dof` numbers; `is_free` can be written.
 */
clearance_status clearance_checker_is_edge_free(struct clearance_checker *checker,
                                                const double *from,
                                                const double *to,
                                                size_t dof,
                                                bool *is_free);

/*
 How near the robot comes to anything along the straight motion between two configurations, within
 `rel_err`, which is at least 1e-6. `found` is false, and nothing else is written, where nothing is
 checked.

 # Safety
 `checker` is a handle; `from` and `to` have `dof` numbers; `clearance` and `found` can be written.
 Names belong to the checker and live until its next call.
 */
clearance_status clearance_checker_edge_clearance(struct clearance_checker *checker,
                                                  const double *from,
                                                  const double *to,
                                                  size_t dof,
                                                  double rel_err,
                                                  struct clearance_edge_clearance *clearance,
                                                  bool *found);

/*
 What becomes of the straight motions between `count` waypoints, which are rows of `dof` numbers, one
 after the other. An error for less than two.

 # Safety
 `checker` is a handle; `waypoints` has `count·dof` numbers; `edges` has `count - 1` elements.
 */
clearance_status clearance_checker_path(struct clearance_checker *checker,
                                        const double *waypoints,
                                        size_t count,
                                        size_t dof,
                                        struct clearance_edge *edges);

/*
 What becomes of a smooth spline through `count` waypoints, which are rows of `dof` numbers, part by
 part. An error for less than two.

 # Safety
 `checker` is a handle; `waypoints` has `count·dof` numbers; `edges` has `count - 1` elements.
 */
clearance_status clearance_checker_spline(struct clearance_checker *checker,
                                          const double *waypoints,
                                          size_t count,
                                          size_t dof,
                                          struct clearance_edge *edges);

/*
 Proves which pairs of links never touch within the joint limits, so that questions skip them;
 changes no answer. `threads` 0 is all of the machine, 0 `evaluations` for each pair are the default.

 # Safety
 `checker` is a handle.
 */
clearance_status clearance_checker_prove(struct clearance_checker *checker,
                                         uint32_t threads,
                                         size_t evaluations);

/*
 Writes what `clearance_checker_prove` found to a file.

 # Safety
 `checker` is a handle, `file` is a text.
 */
clearance_status clearance_checker_save_proofs(struct clearance_checker *checker, const char *file);

/*
 Reads what `clearance_checker_save_proofs` wrote for the same robot, options and `evaluations`.

 # Safety
 `checker` is a handle, `file` is a text.
 */
clearance_status clearance_checker_load_proofs(struct clearance_checker *checker,
                                               const char *file,
                                               size_t evaluations);

/*
 Makes the checker ready for a planner: `clearance_checker_is_free`, `_are_free`, `_is_edge_free` and
 `_are_edges_free` then decide most questions in SIMD lanes, with the same verdicts. It takes
 seconds, and lasts through changes of the scene, of options and of attached objects; clones have it
 too. `prove` is whether to prove first which links never touch, if nothing is proven yet.

 # Safety
 `checker` is a handle.
 */
clearance_status clearance_checker_prepare_for_planning(struct clearance_checker *checker,
                                                        uint32_t threads,
                                                        bool prove);

/*
 Writes what `clearance_checker_prepare_for_planning` made to a file.

 # Safety
 `checker` is a handle, `file` is a text.
 */
clearance_status clearance_checker_save_planning(struct clearance_checker *checker, const char *file);

/*
 Makes the checker ready for a planner by what `clearance_checker_save_planning` wrote for the same
 robot and options. Any other file is refused. Read only what trusted users wrote.

 # Safety
 `checker` is a handle, `file` is a text.
 */
clearance_status clearance_checker_load_planning(struct clearance_checker *checker, const char *file);

/*
 What `clearance_checker_prove` found about two links. Where one of them is fixed to others it asks
 about these two alone, within so many `evaluations`; 0 are the default.

 # Safety
 `checker` is a handle, `link_a` and `link_b` are texts; `gap` can be written.
 */
clearance_status clearance_checker_link_gap(struct clearance_checker *checker,
                                            const char *link_a,
                                            const char *link_b,
                                            size_t evaluations,
                                            struct clearance_gap *gap);

/*
 Whether a link, or what it carries, can ever touch an object of the scene, within so many
 `evaluations`; 0 are the default. Paddings and margins do not count.

 # Safety
 `checker` is a handle, `link` and `object` are texts; `gap` can be written.
 */
clearance_status clearance_checker_can_touch(struct clearance_checker *checker,
                                             const char *link,
                                             const char *object,
                                             size_t evaluations,
                                             struct clearance_gap *gap);

/*
 Spheres, as one geometry in the world, that a link never leaves while all joints stay within their
 limits; a `link` of NULL is the whole robot. An error where it has no end.

 # Safety
 `checker` is a handle, `link` is a text or NULL; `reach` can be written. The caller frees `*reach`.
 */
clearance_status clearance_checker_reach(struct clearance_checker *checker,
                                         const char *link,
                                         struct clearance_geometry **reach);

/*
 A part of this robot and one of another that touch, if there are any; `hit` is written where
 `colliding` is true.

 # Safety
 The checkers are handles of two checkers; the configurations have so many numbers; `colliding` can
 be written; `hit` can be written, or is NULL. Names belong to the first checker and live until its
 next call.
 */
clearance_status clearance_checker_robot_collision(struct clearance_checker *checker,
                                                   const double *configuration,
                                                   size_t dof,
                                                   struct clearance_checker *other,
                                                   const double *other_configuration,
                                                   size_t other_dof,
                                                   bool *colliding,
                                                   struct clearance_hit *hit);

/*
 The distance of the nearest parts of this robot and another; `found` is false where nothing is
 checked.

 # Safety
 The checkers are handles of two checkers; the configurations have so many numbers; `distance` and
 `found` can be written. Names and gradients belong to the first checker and live until its next
 call.
 */
clearance_status clearance_checker_robot_distance(struct clearance_checker *checker,
                                                  const double *configuration,
                                                  size_t dof,
                                                  struct clearance_checker *other,
                                                  const double *other_configuration,
                                                  size_t other_dof,
                                                  struct clearance_robot_distance *distance,
                                                  bool *found);

/*
 All pairs of this robot and another that are nearer than `max_distance` or overlap, with gradients
 by the joints of both.

 # Safety
 The checkers are handles of two checkers; the configurations have so many numbers; `pairs` and
 `count` can be written. `*pairs`, with names and gradients, belongs to the first checker and lives
 until its next call.
 */
clearance_status clearance_checker_robot_near(struct clearance_checker *checker,
                                              const double *configuration,
                                              size_t dof,
                                              struct clearance_checker *other,
                                              const double *other_configuration,
                                              size_t other_dof,
                                              double max_distance,
                                              const struct clearance_near_pair **pairs,
                                              size_t *count);

/*
 A checker of a robot in an empty scene; builds the hierarchies of all links.

 # Safety
 `robot` is a handle, `options` too, or it is NULL; both may be freed afterwards. `checker` can be
 written. The caller frees `*checker`.
 */
clearance_status clearance_checker_new(const struct clearance_robot *robot,
                                       struct clearance_options *options,
                                       struct clearance_checker **checker);

/*
 Another checker of the same robot, with a scene of its own, for another thread. It shares
 hierarchies and proofs.

 # Safety
 `checker` is a handle; `clone` can be written. The caller frees `*clone`.
 */
clearance_status clearance_checker_clone(struct clearance_checker *checker, struct clearance_checker **clone);

/*
 Frees a checker; NULL is nothing to free.

 # Safety
 `checker` is NULL or a handle that no call uses.
 */
clearance_status clearance_checker_free(struct clearance_checker *checker);

/*
 Changes paddings, margins and pairs; attached objects stay. It builds no hierarchy.

 # Safety
 `checker` and `options` are handles.
 */
clearance_status clearance_checker_set_options(struct clearance_checker *checker,
                                               struct clearance_options *options);

/*
 The present options, to be changed and set again.

 # Safety
 `checker` is a handle; `options` can be written. The caller frees `*options`.
 */
clearance_status clearance_checker_options(struct clearance_checker *checker,
                                           struct clearance_options **options);

/*
 Puts the root link at a pose in the world.

 # Safety
 `checker` is a handle; `world_from_base` can be read.
 */
clearance_status clearance_checker_set_base(struct clearance_checker *checker,
                                            const struct clearance_pose *world_from_base);

/*
 Where the root link is in the world.

 # Safety
 `checker` is a handle; `world_from_base` can be written.
 */
clearance_status clearance_checker_base(struct clearance_checker *checker,
                                        struct clearance_pose *world_from_base);

/*
 Puts the robot into a copy of a scene.

 # Safety
 `checker` and `scene` are handles.
 */
clearance_status clearance_checker_set_scene(struct clearance_checker *checker,
                                             struct clearance_scene *scene);

/*
 A copy of the checker's scene.

 # Safety
 `checker` is a handle; `scene` can be written. The caller frees `*scene`.
 */
clearance_status clearance_checker_scene(struct clearance_checker *checker, struct clearance_scene **scene);

/*
 Adds an object to the checker's scene; an error if the name is taken.

 # Safety
 `checker` and `geometry` are handles, `name` is a text; `world_from_object` can be read.
 */
clearance_status clearance_checker_add(struct clearance_checker *checker,
                                       const char *name,
                                       const struct clearance_geometry *geometry,
                                       const struct clearance_pose *world_from_object);

/*
 Gives an object of the checker's scene another geometry at the same pose, or adds it at the origin.

 # Safety
 `checker` and `geometry` are handles, `name` is a text.
 */
clearance_status clearance_checker_replace(struct clearance_checker *checker,
                                           const char *name,
                                           const struct clearance_geometry *geometry);

/*
 Moves an object of the checker's scene; it builds nothing.

 # Safety
 `checker` is a handle, `name` is a text; `world_from_object` can be read.
 */
clearance_status clearance_checker_move(struct clearance_checker *checker,
                                        const char *name,
                                        const struct clearance_pose *world_from_object);

/*
 Takes an object out of the checker's scene.

 # Safety
 `checker` is a handle, `name` is a text.
 */
clearance_status clearance_checker_remove(struct clearance_checker *checker, const char *name);

/*
 Makes a link carry an object: it moves with the link and counts as a part of the robot. It may
 touch that link and `touch_links`.

 # Safety
 `checker` and `geometry` are handles, `name` and `link` are texts; `link_from_object` can be read;
 `touch_links` has `touch_link_count` texts.
 */
clearance_status clearance_checker_attach(struct clearance_checker *checker,
                                          const char *name,
                                          const struct clearance_geometry *geometry,
                                          const char *link,
                                          const struct clearance_pose *link_from_object,
                                          const char *const *touch_links,
                                          size_t touch_link_count);

/*
 Lets go of an attached object, and says its geometry and where it is in the world, as the robot was
 placed last.

 # Safety
 `checker` is a handle, `name` is a text; `geometry` and `world_from_object` can be written, or are
 NULL. The caller frees `*geometry`.
 */
clearance_status clearance_checker_detach(struct clearance_checker *checker,
                                          const char *name,
                                          struct clearance_geometry **geometry,
                                          struct clearance_pose *world_from_object);

/*
 Frees a geometry; NULL is nothing to free.

 # Safety
 `geometry` is NULL or a handle that no call uses.
 */
clearance_status clearance_geometry_free(struct clearance_geometry *geometry);

/*
 Another handle of the same geometry, which is not copied.

 # Safety
 `geometry` is a handle; `clone` can be written. The caller frees `*clone`.
 */
clearance_status clearance_geometry_clone(const struct clearance_geometry *geometry,
                                          struct clearance_geometry **clone);

/*
 A mesh of `vertex_count` vertices (x, y, z each) and `triangle_count` triangles (three numbers of
 vertices each).

 # Safety
 The arrays have so many numbers; `options` is NULL or can be read; `mesh` can be written. The
 caller frees `*mesh`.
 */
clearance_status clearance_mesh_new(const double *vertices,
                                    size_t vertex_count,
                                    const uint32_t *triangles,
                                    size_t triangle_count,
                                    const struct clearance_mesh_options *options,
                                    struct clearance_geometry **mesh);

/*
 Reads a mesh file: STL, OBJ, PLY, Collada, OFF, glTF, GLB or TRIS.

 # Safety
 `file` is a text; `options` is NULL or can be read; `mesh` can be written. The caller frees
 `*mesh`.
 */
clearance_status clearance_mesh_load(const char *file,
                                     const struct clearance_mesh_options *options,
                                     struct clearance_geometry **mesh);

/*
 The same mesh as a solid; an error names an open edge if it is not closed.

 # Safety
 `mesh` is a handle of a mesh; `solid` can be written. The caller frees `*solid`.
 */
clearance_status clearance_mesh_solid(const struct clearance_geometry *mesh,
                                      struct clearance_geometry **solid);

/*
 How many vertices and triangles a mesh has.

 # Safety
 `mesh` is a handle of a mesh; the others can be written, or are NULL.
 */
clearance_status clearance_mesh_size(const struct clearance_geometry *mesh,
                                     size_t *vertex_count,
                                     size_t *triangle_count);

/*
 The vertices of a mesh (x, y, z each) and its triangles (three numbers of vertices each), as many as
 `clearance_mesh_size` says.

 # Safety
 `mesh` is a handle of a mesh; `vertices` has `3·vertex_count` numbers, `triangles` has
 `3·triangle_count`; either may be NULL.
 */
clearance_status clearance_mesh_data(const struct clearance_geometry *mesh,
                                     double *vertices,
                                     size_t vertex_count,
                                     uint32_t *triangles,
                                     size_t triangle_count);

/*
 Whether what lies inside of a mesh belongs to it.

 # Safety
 `mesh` is a handle of a mesh; `solid` can be written.
 */
clearance_status clearance_mesh_is_solid(const struct clearance_geometry *mesh, bool *solid);

/*
 The convex hull of a mesh's vertices.

 # Safety
 `mesh` is a handle of a mesh; `hull` can be written. The caller frees `*hull`.
 */
clearance_status clearance_mesh_convex_hull(const struct clearance_geometry *mesh,
                                            struct clearance_geometry **hull);

/*
 A closed mesh as convex parts that differ from it by at most `error`, as one geometry. `reached`
 and `part_count` say what became of it: the certified error, and how many parts there are.

 # Safety
 `mesh` is a handle of a mesh; `parts` can be written; `reached` and `part_count` can be written, or
 are NULL. The caller frees `*parts`.
 */
clearance_status clearance_mesh_decompose(const struct clearance_geometry *mesh,
                                          double error,
                                          struct clearance_geometry **parts,
                                          double *reached,
                                          size_t *part_count);

/*
 A box around the origin with these full edge lengths.

 # Safety
 `geometry` can be written. The caller frees `*geometry`.
 */
clearance_status clearance_box_new(double x, double y, double z, struct clearance_geometry **geometry);

/*
 A sphere around the origin.

 # Safety
 `geometry` can be written. The caller frees `*geometry`.
 */
clearance_status clearance_sphere_new(double radius, struct clearance_geometry **geometry);

/*
 A cylinder along z, around the origin, `length` from end to end, with half a sphere on either end.

 # Safety
 `geometry` can be written. The caller frees `*geometry`.
 */
clearance_status clearance_capsule_new(double radius, double length, struct clearance_geometry **geometry);

/*
 A cylinder along z, around the origin.

 # Safety
 `geometry` can be written. The caller frees `*geometry`.
 */
clearance_status clearance_cylinder_new(double radius, double length, struct clearance_geometry **geometry);

/*
 A cone along z; the origin is half way between the base and the apex, which is up.

 # Safety
 `geometry` can be written. The caller frees `*geometry`.
 */
clearance_status clearance_cone_new(double radius, double length, struct clearance_geometry **geometry);

/*
 An ellipsoid around the origin with these half axes.

 # Safety
 `geometry` can be written. The caller frees `*geometry`.
 */
clearance_status clearance_ellipsoid_new(double x, double y, double z, struct clearance_geometry **geometry);

/*
 The convex hull of points that do not lie in one plane.

 # Safety
 `points` has `3·count` numbers; `geometry` can be written. The caller frees `*geometry`.
 */
clearance_status clearance_convex_hull_new(const double *points,
                                           size_t count,
                                           struct clearance_geometry **geometry);

/*
 All points with `normal · x <= offset`: a floor, a wall.

 # Safety
 `normal` has 3 numbers; `geometry` can be written. The caller frees `*geometry`.
 */
clearance_status clearance_half_space_new(const double *normal,
                                          double offset,
                                          struct clearance_geometry **geometry);

/*
 All points with `normal · x = offset`.

 # Safety
 `normal` has 3 numbers; `geometry` can be written. The caller frees `*geometry`.
 */
clearance_status clearance_plane_new(const double *normal,
                                     double offset,
                                     struct clearance_geometry **geometry);

/*
 Points that are spheres of one radius.

 # Safety
 `points` has `3·count` numbers; `geometry` can be written. The caller frees `*geometry`.
 */
clearance_status clearance_point_cloud_new(const double *points,
                                           size_t count,
                                           double radius,
                                           struct clearance_geometry **geometry);

/*
 Reads the points of an XYZ, PLY or PCD file, which are spheres of one radius.

 # Safety
 `file` is a text; `geometry` can be written. The caller frees `*geometry`.
 */
clearance_status clearance_point_cloud_load(const char *file,
                                            double radius,
                                            struct clearance_geometry **geometry);

/*
 The surface through a grid of heights, row by row: `heights[r·columns + c]` stands at
 `(c·spacing_x, r·spacing_y)`. A `base` that is not NaN fills the ground down to this height.

 # Safety
 `heights` has `rows·columns` numbers; `geometry` can be written. The caller frees `*geometry`.
 */
clearance_status clearance_height_field_new(const double *heights,
                                            size_t rows,
                                            size_t columns,
                                            double spacing_x,
                                            double spacing_y,
                                            double base,
                                            struct clearance_geometry **geometry);

/*
 One geometry of placed parts; answers name a part by its place in the array. Parts may be compounds
 in turn, up to 64 within each other.

 # Safety
 `parts` and `poses` have `count` elements, the parts are handles; `geometry` can be written. The
 caller frees `*geometry`.
 */
clearance_status clearance_compound_new(const struct clearance_geometry *const *parts,
                                        const struct clearance_pose *poses,
                                        size_t count,
                                        struct clearance_geometry **geometry);

/*
 The lowest and the highest coordinates; infinite where it has no bounds.

 # Safety
 `geometry` is a handle; `low` and `high` can be written.
 */
clearance_status clearance_geometry_bounding_box(const struct clearance_geometry *geometry,
                                                 double *low,
                                                 double *high);

/*
 Where each of many rays first meets the surface, in the geometry's own frame; `threads` 0 is all
 of the machine.

 # Safety
 `geometry` is a handle; `rays` and `hits` have `count` elements.
 */
clearance_status clearance_geometry_rays(const struct clearance_geometry *geometry,
                                         const struct clearance_ray *rays,
                                         size_t count,
                                         uint32_t threads,
                                         struct clearance_ray_hit *hits);

/*
 All points in which a ray meets the surface, in the order of `t`. `capacity` of them are written,
 and `count` is how many there are.

 # Safety
 `geometry` is a handle; `ray` can be read; `hits` has `capacity` elements; `count` can be written.
 */
clearance_status clearance_geometry_ray_hits(const struct clearance_geometry *geometry,
                                             const struct clearance_ray *ray,
                                             struct clearance_ray_hit *hits,
                                             size_t capacity,
                                             size_t *count);

/*
 The signed distances of many points in the geometry's own frame; `threads` 0 is all of the
 machine.

 # Safety
 `geometry` is a handle; `points` has `3·count` numbers; `distances` has `count` elements.
 */
clearance_status clearance_geometry_signed_distances(const struct clearance_geometry *geometry,
                                                     const double *points,
                                                     size_t count,
                                                     uint32_t threads,
                                                     struct clearance_point_distance *distances);

/*
 Frees a motion; NULL is nothing to free.

 # Safety
 `motion` is NULL or a handle that no call uses.
 */
clearance_status clearance_motion_free(struct clearance_motion *motion);

/*
 A body at rest.

 # Safety
 `pose` can be read, `motion` can be written. The caller frees `*motion`.
 */
clearance_status clearance_motion_still(const struct clearance_pose *pose, struct clearance_motion **motion);

/*
 Interpolates two poses: the origin along a straight line, the rotation at a constant rate.

 # Safety
 `start` and `end` can be read, `motion` can be written. The caller frees `*motion`.
 */
clearance_status clearance_motion_between(const struct clearance_pose *start,
                                          const struct clearance_pose *end,
                                          double duration,
                                          struct clearance_motion **motion);

/*
 A steady motion: the point `center` of the body, in its coordinates, moves along a straight line,
 and the body rotates about it. Velocities are in the world.

 # Safety
 `start` can be read, the vectors have 3 numbers, `motion` can be written. The caller frees
 `*motion`.
 */
clearance_status clearance_motion_moving(const struct clearance_pose *start,
                                         const double *center,
                                         const double *linear,
                                         const double *angular,
                                         double duration,
                                         struct clearance_motion **motion);

/*
 A screw motion: the body rotates with `angular` about the axis along it through `point` of the
 world, and slides along it with the speed `sliding`.

 # Safety
 `start` can be read, the vectors have 3 numbers, `motion` can be written. The caller frees
 `*motion`.
 */
clearance_status clearance_motion_screw(const struct clearance_pose *start,
                                        const double *point,
                                        const double *angular,
                                        double sliding,
                                        double duration,
                                        struct clearance_motion **motion);

/*
 A thrown body: its point `center` has a velocity at the start and a constant acceleration, and the
 body rotates about it.

 # Safety
 `start` can be read, the vectors have 3 numbers, `motion` can be written. The caller frees
 `*motion`.
 */
clearance_status clearance_motion_thrown(const struct clearance_pose *start,
                                         const double *center,
                                         const double *velocity,
                                         const double *acceleration,
                                         const double *angular,
                                         double duration,
                                         struct clearance_motion **motion);

/*
 A polynomial motion: the point `center` of the body moves by the sum of `coefficients[k]·tᵏ⁺¹` from
 its start, and the body rotates about it.

 # Safety
 `start` can be read, `center` and `angular` have 3 numbers, `coefficients` has `3·count`; `motion`
 can be written. The caller frees `*motion`.
 */
clearance_status clearance_motion_polynomial(const struct clearance_pose *start,
                                             const double *center,
                                             const double *coefficients,
                                             size_t count,
                                             const double *angular,
                                             double duration,
                                             struct clearance_motion **motion);

/*
 One motion, and then another one that starts where it ends.

 # Safety
 `first` and `second` are handles; `motion` can be written. The caller frees `*motion`.
 */
clearance_status clearance_motion_then(const struct clearance_motion *first,
                                       const struct clearance_motion *second,
                                       struct clearance_motion **motion);

/*
 Interpolates poses at ascending times, the first of which is 0.

 # Safety
 `times` and `poses` have `count` elements, `motion` can be written. The caller frees `*motion`.
 */
clearance_status clearance_motion_through(const double *times,
                                          const struct clearance_pose *poses,
                                          size_t count,
                                          struct clearance_motion **motion);

/*
 The pose of a motion at a time, and the time at which it ends.

 # Safety
 `motion` is a handle; `pose` and `duration` can be written, or are NULL.
 */
clearance_status clearance_motion_at(const struct clearance_motion *motion,
                                     double t,
                                     struct clearance_pose *pose,
                                     double *duration);

/*
 Options that change nothing.

 # Safety
 `options` can be written. The caller frees `*options`.
 */
clearance_status clearance_options_new(struct clearance_options **options);

/*
 Frees options; NULL is nothing to free.

 # Safety
 `options` is NULL or a handle that no call uses.
 */
clearance_status clearance_options_free(struct clearance_options *options);

/*
 How much larger every link is meant to be, in metres.

 # Safety
 `options` is a handle.
 */
clearance_status clearance_options_set_padding(struct clearance_options *options, double padding);

/*
 How much larger one link or attached object is meant to be, in the place of the padding of all.

 # Safety
 `options` is a handle, `name` is a text.
 */
clearance_status clearance_options_set_link_padding(struct clearance_options *options,
                                                    const char *name,
                                                    double padding);

/*
 The distance below which any pair counts as colliding.

 # Safety
 `options` is a handle.
 */
clearance_status clearance_options_set_margin(struct clearance_options *options, double margin);

/*
 The margins of all pairs of some names, in the place of that of all: a symmetric matrix row by row,
 in which NaN leaves a pair as it is. The diagonal has no effect.

 # Safety
 `options` is a handle; `names` has `count` texts, `matrix` has `count·count` numbers.
 */
clearance_status clearance_options_set_margins(struct clearance_options *options,
                                               const char *const *names,
                                               const double *matrix,
                                               size_t count);

/*
 Lets two things touch.

 # Safety
 `options` is a handle, `a` and `b` are texts.
 */
clearance_status clearance_options_allow(struct clearance_options *options, const char *a, const char *b);

/*
 Leaves a pair of links out, as an SRDF file does.

 # Safety
 `options` is a handle, `a` and `b` are texts.
 */
clearance_status clearance_options_disable(struct clearance_options *options, const char *a, const char *b);

/*
 Looks at pairs of these links alone; a `links` of NULL looks at all again.

 # Safety
 `options` is a handle; `links` has `count` texts, or is NULL.
 */
clearance_status clearance_options_only(struct clearance_options *options,
                                        const char *const *links,
                                        size_t count);

/*
 A pair of two geometries; an error if nothing can tell about these two.

 # Safety
 `a` and `b` are handles, which may be freed afterwards; `pair` can be written. The caller frees
 `*pair`.
 */
clearance_status clearance_pair_new(const struct clearance_geometry *a,
                                    const struct clearance_geometry *b,
                                    struct clearance_pair **pair);

/*
 Frees a pair; NULL is nothing to free.

 # Safety
 `pair` is NULL or a handle that no call uses.
 */
clearance_status clearance_pair_free(struct clearance_pair *pair);

/*
 Another pair of the same geometries, for another thread.

 # Safety
 `pair` is a handle; `clone` can be written. The caller frees `*clone`.
 */
clearance_status clearance_pair_clone(const struct clearance_pair *pair, struct clearance_pair **clone);

/*
 Whether the geometries touch or overlap.

 # Safety
 `pair` is a handle; `a_from_b` can be read; `colliding` can be written.
 */
clearance_status clearance_pair_collides(struct clearance_pair *pair,
                                         const struct clearance_pose *a_from_b,
                                         bool *colliding);

/*
 Whether the geometries touch or overlap at each of many poses; `threads` 0 is all of the machine.

 # Safety
 `pair` is a handle; `poses` and `colliding` have `count` elements.
 */
clearance_status clearance_pair_collides_batch(struct clearance_pair *pair,
                                               const struct clearance_pose *poses,
                                               size_t count,
                                               uint32_t threads,
                                               bool *colliding);

/*
 The certified distance, 0 where the geometries touch.

 # Safety
 `pair` is a handle; `a_from_b` can be read; `request` can be read, or is NULL for the exact
 distance; `distance` can be written.
 */
clearance_status clearance_pair_distance(struct clearance_pair *pair,
                                         const struct clearance_pose *a_from_b,
                                         const struct clearance_distance_request *request,
                                         struct clearance_distance *distance);

/*
 The distances at many poses; `threads` 0 is all of the machine.

 # Safety
 `pair` is a handle; `poses` and `distances` have `count` elements; `request` can be read, or is
 NULL for the exact distance.
 */
clearance_status clearance_pair_distances(struct clearance_pair *pair,
                                          const struct clearance_pose *poses,
                                          size_t count,
                                          const struct clearance_distance_request *request,
                                          uint32_t threads,
                                          struct clearance_distance *distances);

/*
 Whether the distance is at most `distance`.

 # Safety
 `pair` is a handle; `a_from_b` can be read; `within` can be written.
 */
clearance_status clearance_pair_is_within(struct clearance_pair *pair,
                                          const struct clearance_pose *a_from_b,
                                          double distance,
                                          bool *within);

/*
 The gradient of the distance by the poses, where the geometries are apart; `found` is false where
 they touch, and nothing else is written.

 # Safety
 `pair` is a handle; `a_from_b` can be read; `gradient` and `found` can be written.
 */
clearance_status clearance_pair_gradient(struct clearance_pair *pair,
                                         const struct clearance_pose *a_from_b,
                                         struct clearance_gradient *gradient,
                                         bool *found);

/*
 The distance where the geometries are apart, less than 0 by the penetration depth where they
 overlap. Both must be solids.

 # Safety
 `pair` is a handle; `a_from_b` can be read; `request` can be read, or is NULL; `distance` can be
 written; `gradient`, that of the points that were found, can be written, or is NULL.
 */
clearance_status clearance_pair_signed_distance(struct clearance_pair *pair,
                                                const struct clearance_pose *a_from_b,
                                                const struct clearance_depth_request *request,
                                                struct clearance_signed_distance *distance,
                                                struct clearance_gradient *gradient);

/*
 The penetration depth; `found` is false where the geometries are apart, and nothing else is
 written.

 # Safety
 `pair` is a handle; `a_from_b` can be read; `request` can be read, or is NULL; `penetration` and
 `found` can be written.
 */
clearance_status clearance_pair_penetration(struct clearance_pair *pair,
                                            const struct clearance_pose *a_from_b,
                                            const struct clearance_depth_request *request,
                                            struct clearance_penetration *penetration,
                                            bool *found);

/*
 All pairs of leaves that touch, or are within `margin`; at most `max_contacts`, and 0 is no limit.

 # Safety
 `pair` is a handle; `a_from_b` can be read; `contacts` and `count` can be written; `colliding` and
 `truncated` can be written, or are NULL. `*contacts` and its points belong to the pair and live
 until its next call.
 */
clearance_status clearance_pair_contacts(struct clearance_pair *pair,
                                         const struct clearance_pose *a_from_b,
                                         double margin,
                                         size_t max_contacts,
                                         const struct clearance_contact **contacts,
                                         size_t *count,
                                         bool *colliding,
                                         bool *truncated);

/*
 The first time at which A and B, which both move, are within `distance`; 0 asks for contact. A
 `tolerance` of 0 is 1e-6.

 # Safety
 `pair`, `motion_a` and `motion_b` are handles; `impact` can be written.
 */
clearance_status clearance_pair_time_of_impact(struct clearance_pair *pair,
                                               const struct clearance_motion *motion_a,
                                               const struct clearance_motion *motion_b,
                                               double distance,
                                               double tolerance,
                                               struct clearance_impact *impact);

/*
 Reads a robot from a URDF file, and which pairs need no check from an SRDF file.

 # Safety
 `urdf` is a text, `srdf` is a text or NULL; `options` can be read, or is NULL; `robot` can be
 written. The caller frees `*robot`.
 */
clearance_status clearance_robot_load(const char *urdf,
                                      const char *srdf,
                                      const struct clearance_robot_options *options,
                                      struct clearance_robot **robot);

/*
 Reads a robot from the text of a URDF file, and which pairs need no check from that of an SRDF
 file.

 # Safety
 `urdf` is a text, `srdf` is a text or NULL; `options` can be read, or is NULL; `robot` can be
 written. The caller frees `*robot`.
 */
clearance_status clearance_robot_from_urdf(const char *urdf,
                                           const char *srdf,
                                           const struct clearance_robot_options *options,
                                           struct clearance_robot **robot);

/*
 The built-in humanoid, for trials without files.

 # Safety
 `robot` can be written. The caller frees `*robot`.
 */
clearance_status clearance_robot_humanoid(struct clearance_robot **robot);

/*
 The same robot with the geometry of some links scaled, each shape about its own centre. Joints stay
 where they are.

 # Safety
 `robot` is a handle; `links` and `scales` have `count` elements, the links are texts; `scaled` can
 be written. The caller frees `*scaled`.
 */
clearance_status clearance_robot_scale_links(const struct clearance_robot *robot,
                                             const char *const *links,
                                             const double *scales,
                                             size_t count,
                                             struct clearance_robot **scaled);

/*
 Frees a robot; NULL is nothing to free. Checkers keep what they need of it.

 # Safety
 `robot` is NULL or a handle that no call uses.
 */
clearance_status clearance_robot_free(struct clearance_robot *robot);

/*
 The robot's name, how many numbers a configuration has, and how many links there are.

 # Safety
 `robot` is a handle; the others can be written, or are NULL. `*name` lives as long as the robot.
 */
clearance_status clearance_robot_describe(const struct clearance_robot *robot,
                                          const char **name,
                                          size_t *dof,
                                          size_t *link_count);

/*
 The name of a number of a configuration.

 # Safety
 `robot` is a handle; `name` can be written. `*name` lives as long as the robot.
 */
clearance_status clearance_robot_joint_name(const struct clearance_robot *robot,
                                            size_t index,
                                            const char **name);

/*
 The name of a link; the root is the first, and parents come before children.

 # Safety
 `robot` is a handle; `name` can be written. `*name` lives as long as the robot.
 */
clearance_status clearance_robot_link_name(const struct clearance_robot *robot,
                                           size_t index,
                                           const char **name);

/*
 The place of a link, by its name.

 # Safety
 `robot` is a handle; `name` is a text; `index` can be written.
 */
clearance_status clearance_robot_link_index(const struct clearance_robot *robot,
                                            const char *name,
                                            size_t *index);

/*
 What the reader ignored or assumed: a sentence, NULL beyond the last.

 # Safety
 `robot` is a handle; `note` can be written. `*note` lives as long as the robot.
 */
clearance_status clearance_robot_note(const struct clearance_robot *robot, size_t index, const char **note);

/*
 The lowest and the highest configuration within the limits, infinite where there is none, and the
 one with all joints at 0 or at the nearest limit.

 # Safety
 `robot` is a handle; the arrays have `dof` elements, or are NULL.
 */
clearance_status clearance_robot_limits(const struct clearance_robot *robot,
                                        size_t dof,
                                        double *lower,
                                        double *upper,
                                        double *middle);

/*
 The poses of all links in the world, in the order of `clearance_robot_link_name`.

 # Safety
 `robot` is a handle; `base`, the pose of the root link, can be read, or is NULL for the origin;
 `configuration` has `dof` numbers; `poses` has `link_count` elements.
 */
clearance_status clearance_robot_link_poses(const struct clearance_robot *robot,
                                            const struct clearance_pose *base,
                                            const double *configuration,
                                            size_t dof,
                                            struct clearance_pose *poses,
                                            size_t link_count);

/*
 Which numbers of a configuration belong to a group of the SRDF file, in ascending order. `capacity`
 of them are written, and `count` is how many there are.

 # Safety
 `robot` is a handle, `group` is a text; `variables` has `capacity` elements; `count` can be
 written.
 */
clearance_status clearance_robot_group(const struct clearance_robot *robot,
                                       const char *group,
                                       size_t *variables,
                                       size_t capacity,
                                       size_t *count);

/*
 Whether a checker looks at two links by default: they are no neighbours, and no SRDF file disables
 the pair.

 # Safety
 `robot` is a handle; `checked` can be written.
 */
clearance_status clearance_robot_is_checked(const struct clearance_robot *robot,
                                            size_t link_a,
                                            size_t link_b,
                                            bool *checked);

/*
 An empty scene.

 # Safety
 `scene` can be written. The caller frees `*scene`.
 */
clearance_status clearance_scene_new(struct clearance_scene **scene);

/*
 Reads a scene file: JSON, or a mesh file as one object.

 # Safety
 `file` is a text; `scene` can be written. The caller frees `*scene`.
 */
clearance_status clearance_scene_load(const char *file, struct clearance_scene **scene);

/*
 Writes a scene file, whose name ends in `.json`. Meshes, point clouds and voxel maps become files
 beside it.

 # Safety
 `scene` is a handle, `file` is a text.
 */
clearance_status clearance_scene_save(struct clearance_scene *scene, const char *file);

/*
 Another scene of the same objects.

 # Safety
 `scene` is a handle; `clone` can be written. The caller frees `*clone`.
 */
clearance_status clearance_scene_clone(struct clearance_scene *scene, struct clearance_scene **clone);

/*
 Frees a scene; NULL is nothing to free.

 # Safety
 `scene` is NULL or a handle that no call uses.
 */
clearance_status clearance_scene_free(struct clearance_scene *scene);

/*
 Adds an object at a pose in the world; an error if the name is taken.

 # Safety
 `scene` and `geometry` are handles, `name` is a text; `world_from_object` can be read.
 */
clearance_status clearance_scene_add(struct clearance_scene *scene,
                                     const char *name,
                                     const struct clearance_geometry *geometry,
                                     const struct clearance_pose *world_from_object);

/*
 Gives an object another geometry at the same pose, or adds it at the origin.

 # Safety
 `scene` and `geometry` are handles, `name` is a text.
 */
clearance_status clearance_scene_replace(struct clearance_scene *scene,
                                         const char *name,
                                         const struct clearance_geometry *geometry);

/*
 Moves an object to another pose in the world.

 # Safety
 `scene` is a handle, `name` is a text; `world_from_object` can be read.
 */
clearance_status clearance_scene_move(struct clearance_scene *scene,
                                      const char *name,
                                      const struct clearance_pose *world_from_object);

/*
 Takes an object out.

 # Safety
 `scene` is a handle, `name` is a text; `geometry` and `world_from_object` can be written, or are
 NULL. The caller frees `*geometry`.
 */
clearance_status clearance_scene_remove(struct clearance_scene *scene,
                                        const char *name,
                                        struct clearance_geometry **geometry,
                                        struct clearance_pose *world_from_object);

/*
 The pose of an object in the world.

 # Safety
 `scene` is a handle, `name` is a text; `world_from_object` can be written.
 */
clearance_status clearance_scene_pose(struct clearance_scene *scene,
                                      const char *name,
                                      struct clearance_pose *world_from_object);

/*
 The geometry of an object. It is no mesh to the functions of meshes, whatever it was made of.

 # Safety
 `scene` is a handle, `name` is a text; `geometry` can be written. The caller frees `*geometry`.
 */
clearance_status clearance_scene_geometry(struct clearance_scene *scene,
                                          const char *name,
                                          struct clearance_geometry **geometry);

/*
 How many objects there are.

 # Safety
 `scene` is a handle; `count` can be written.
 */
clearance_status clearance_scene_count(struct clearance_scene *scene, size_t *count);

/*
 The name of an object, in the order of the scene.

 # Safety
 `scene` is a handle; `name` can be written. `*name` belongs to the scene and lives until its next
 call.
 */
clearance_status clearance_scene_name(struct clearance_scene *scene, size_t index, const char **name);

/*
 Where each of many rays of the world first meets the scene, and the names of what they meet: NULL
 where that is nothing.

 # Safety
 `scene` is a handle; `rays` and `hits` have `count` elements, `names` too, or it is NULL. The names
 belong to the scene and live until its next call.
 */
clearance_status clearance_scene_rays(struct clearance_scene *scene,
                                      const struct clearance_ray *rays,
                                      size_t count,
                                      struct clearance_ray_hit *hits,
                                      const char **names);

/*
 All points in which a ray of the world meets the scene, in the order of `t`, and the names of what
 it meets. `capacity` of them are written, and `count` is how many there are.

 # Safety
 `scene` is a handle; `ray` can be read; `hits` has `capacity` elements, `names` too, or it is NULL;
 `count` can be written. The names belong to the scene and live until its next call.
 */
clearance_status clearance_scene_ray_hits(struct clearance_scene *scene,
                                          const struct clearance_ray *ray,
                                          struct clearance_ray_hit *hits,
                                          const char **names,
                                          size_t capacity,
                                          size_t *count);

/*
 The signed distances of points of the world from the nearest object, and its names.

 # Safety
 `scene` is a handle; `points` has `3·count` numbers, `distances` has `count` elements, `names` too,
 or it is NULL. The names belong to the scene and live until its next call.
 */
clearance_status clearance_scene_signed_distances(struct clearance_scene *scene,
                                                  const double *points,
                                                  size_t count,
                                                  struct clearance_point_distance *distances,
                                                  const char **names);

/*
 A simulated depth image, as `clearance_voxel_map_insert_depth_image` takes it: infinite where
 nothing is seen. `threads` 0 is all of the machine.

 # Safety
 `scene` is a handle; `camera` and `world_from_camera` can be read; `depths` has `depth_count`
 elements, width times height.
 */
clearance_status clearance_scene_depth_image(struct clearance_scene *scene,
                                             const struct clearance_depth_camera *camera,
                                             const struct clearance_pose *world_from_camera,
                                             uint32_t threads,
                                             float *depths,
                                             size_t depth_count);

/*
 The pose that maps every point to itself.
 */
struct clearance_pose clearance_pose_identity(void);

/*
 A pose of a translation x, y, z and a quaternion w, x, y, z.

 # Safety
 `xyz` has 3 numbers, `wxyz` has 4 numbers, `pose` can be written.
 */
clearance_status clearance_pose_from_quaternion(const double *xyz,
                                                const double *wxyz,
                                                struct clearance_pose *pose);

/*
 The version of the binary interface of the library that is loaded.
 */
uint32_t clearance_abi_version(void);

/*
 An error if the header that a program was compiled with is of another binary interface than the
 library. Call `CLEARANCE_CHECK_ABI()`, which passes the header's version.
 */
clearance_status clearance_check_abi(uint32_t header_version);

/*
 The version of the library, as in "0.1.0". It lives as long as the program.
 */
const char *clearance_version(void);

/*
 An empty map: every cell is free.

 # Safety
 `map` can be written. The caller frees `*map`.
 */
clearance_status clearance_voxel_map_new(double resolution, struct clearance_voxel_map **map);

/*
 Reads an OctoMap file, `.bt` or `.ot`. Cells of no leaf become `background`, one of
 `clearance_cell`.

 # Safety
 `file` is a text; `map` can be written. The caller frees `*map`.
 */
clearance_status clearance_voxel_map_load(const char *file,
                                          int32_t background,
                                          struct clearance_voxel_map **map);

/*
 Writes an OctoMap file: `.ot` with probabilities, any other name as `.bt`.

 # Safety
 `map` is a handle, `file` is a text.
 */
clearance_status clearance_voxel_map_save(struct clearance_voxel_map *map, const char *file);

/*
 Frees a map; NULL is nothing to free.

 # Safety
 `map` is NULL or a handle that no call uses.
 */
clearance_status clearance_voxel_map_free(struct clearance_voxel_map *map);

/*
 Sets the cells that contain points to one of `clearance_cell`.

 # Safety
 `map` is a handle; `points` has `3·count` numbers.
 */
clearance_status clearance_voxel_map_set(struct clearance_voxel_map *map,
                                         const double *points,
                                         size_t count,
                                         int32_t cell);

/*
 Sets all cells from the one that contains `low` to the one that contains `high`.

 # Safety
 `map` is a handle; `low` and `high` have 3 numbers.
 */
clearance_status clearance_voxel_map_fill(struct clearance_voxel_map *map,
                                          const double *low,
                                          const double *high,
                                          int32_t cell);

/*
 Sets every cell that the surface of a mesh touches, and those inside of it where `solid` is true;
 an error where the mesh is not closed then.

 # Safety
 `map` is a handle, `mesh` is a handle of a mesh; `map_from_mesh` can be read.
 */
clearance_status clearance_voxel_map_rasterize(struct clearance_voxel_map *map,
                                               const struct clearance_geometry *mesh,
                                               const struct clearance_pose *map_from_mesh,
                                               bool solid,
                                               int32_t cell);

/*
 The edge length of a cell.

 # Safety
 `map` is a handle; `resolution` can be written.
 */
clearance_status clearance_voxel_map_resolution(struct clearance_voxel_map *map, double *resolution);

/*
 The cells that were set to one of `clearance_cell`, as cubes: equal neighbours are one cube where
 the map holds them so. `capacity` of them are written, centres and edge lengths, and `count` is how
 many there are.

 # Safety
 `map` is a handle; `centers` has `3·capacity` numbers, `sizes` has `capacity`; `count` can be
 written.
 */
clearance_status clearance_voxel_map_cubes(struct clearance_voxel_map *map,
                                           int32_t cell,
                                           double *centers,
                                           double *sizes,
                                           size_t capacity,
                                           size_t *count);

/*
 What the cells are that contain points.

 # Safety
 `map` is a handle; `points` has `3·count` numbers, `cells` has `count` elements.
 */
clearance_status clearance_voxel_map_cells(struct clearance_voxel_map *map,
                                           const double *points,
                                           size_t count,
                                           clearance_cell *cells);

/*
 Inserts the rays of a scan from `origin` to points: their ends become obstacles, what they cross
 becomes free. A `max_range` of 0 is no limit.

 # Safety
 `map` is a handle; `origin` has 3 numbers, `points` has `3·count`; `scan` can be written, or is
 NULL.
 */
clearance_status clearance_voxel_map_insert_rays(struct clearance_voxel_map *map,
                                                 const double *origin,
                                                 const double *points,
                                                 size_t count,
                                                 double max_range,
                                                 struct clearance_scan *scan);

/*
 Inserts a depth image, row by row from the top: depths along the optical axis, in metres. Pixels
 that are zero, negative or NaN saw nothing; an infinite one clears what its ray crosses, up to
 `max_range`, and 0 is no limit.

 # Safety
 `map` is a handle; `camera` and `map_from_camera` can be read; `depths` has `depth_count` numbers,
 width times height; `scan` can be written, or is NULL.
 */
clearance_status clearance_voxel_map_insert_depth_image(struct clearance_voxel_map *map,
                                                        const struct clearance_depth_camera *camera,
                                                        const float *depths,
                                                        size_t depth_count,
                                                        const struct clearance_pose *map_from_camera,
                                                        double max_range,
                                                        struct clearance_scan *scan);

/*
 The present obstacles as a geometry; the map may change afterwards. It builds nothing.

 # Safety
 `map` is a handle; `geometry` can be written. The caller frees `*geometry`.
 */
clearance_status clearance_voxel_map_obstacles(struct clearance_voxel_map *map,
                                               struct clearance_geometry **geometry);

/*
 Resets all cells.

 # Safety
 `map` is a handle.
 */
clearance_status clearance_voxel_map_clear(struct clearance_voxel_map *map);

/*
 A world without bodies. Bodies whose boxes are within `margin` of each other on every axis are a
 pair.

 # Safety
 `world` can be written. The caller frees `*world`.
 */
clearance_status clearance_world_new(double margin, struct clearance_world **world);

/*
 Frees a world; NULL is nothing to free.

 # Safety
 `world` is NULL or a handle that no call uses.
 */
clearance_status clearance_world_free(struct clearance_world *world);

/*
 Adds a body, and says its number, which no other body of the world ever has; it has no pairs before
 the next step.

 # Safety
 `world` and `geometry` are handles; `pose` can be read; `body` can be written.
 */
clearance_status clearance_world_add(struct clearance_world *world,
                                     const struct clearance_geometry *geometry,
                                     const struct clearance_pose *pose,
                                     uint64_t *body);

/*
 Moves a body; pairs follow with the next step.

 # Safety
 `world` is a handle; `pose` can be read.
 */
clearance_status clearance_world_move(struct clearance_world *world,
                                      uint64_t body,
                                      const struct clearance_pose *pose);

/*
 The pose of a body.

 # Safety
 `world` is a handle; `pose` can be written.
 */
clearance_status clearance_world_pose(struct clearance_world *world,
                                      uint64_t body,
                                      struct clearance_pose *pose);

/*
 Removes a body; its pairs end with the next step.

 # Safety
 `world` is a handle.
 */
clearance_status clearance_world_remove(struct clearance_world *world, uint64_t body);

/*
 Lets two bodies touch, or not any more.

 # Safety
 `world` is a handle.
 */
clearance_status clearance_world_exclude(struct clearance_world *world,
                                         uint64_t a,
                                         uint64_t b,
                                         bool excluded);

/*
 Says which groups a body belongs to and which it meets, a bit for each: two bodies are a pair only
 if each meets a group of the other. At first a body is in the first group and meets all.

 # Safety
 `world` is a handle.
 */
clearance_status clearance_world_set_groups(struct clearance_world *world,
                                            uint64_t body,
                                            uint32_t member,
                                            uint32_t meets);

/*
 Updates the pairs.

 # Safety
 `world` is a handle.
 */
clearance_status clearance_world_step(struct clearance_world *world);

/*
 The pairs of the last step, in ascending order; `which` is one of `clearance_pairs`. `capacity` of
 them are written, and `count` is how many there are.

 # Safety
 `world` is a handle; `pairs` has `capacity` elements; `count` can be written.
 */
clearance_status clearance_world_pairs(struct clearance_world *world,
                                       int32_t which,
                                       struct clearance_body_pair *pairs,
                                       size_t capacity,
                                       size_t *count);

/*
 The certified distance of two bodies; its points are in the first one's frame.

 # Safety
 `world` is a handle; `request` can be read, or is NULL for the exact distance; `distance` can be
 written.
 */
clearance_status clearance_world_distance(struct clearance_world *world,
                                          uint64_t a,
                                          uint64_t b,
                                          const struct clearance_distance_request *request,
                                          struct clearance_distance *distance);

/*
 The nearest bodies that may touch a body, up to `max_distance`, nearest first: at most `capacity`,
 and `count` is how many. Call `clearance_world_step` after the last change.

 # Safety
 `world` is a handle; `neighbors` has `capacity` elements; `count` can be written.
 */
clearance_status clearance_world_nearest(struct clearance_world *world,
                                         uint64_t body,
                                         double max_distance,
                                         struct clearance_neighbor *neighbors,
                                         size_t capacity,
                                         size_t *count);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CLEARANCE_H */
