/* clearance for C++17: objects that free themselves over clearance.h, whose comments say what each call does.
 *
 *     clearance::Pair pair(clearance::Geometry::load("gripper.stl"), clearance::Geometry::load("part.obj"));
 *     clearance::Distance d = pair.distance(clearance::Pose::at(0.2, 0, 0.1));
 *
 * Errors are exceptions (clearance::Error). Where CLEARANCE_NO_EXCEPTIONS is defined before this header, every
 * call returns an Answer<T> instead, which has a status and a message, and objects are made by `make`.
 *
 * Views (Span) take anything with data() and size(): std::vector, std::array, std::span, Eigen vectors. Where Eigen
 * was included before this header, poses are made of Eigen::Isometry3d, and points are seen as Eigen::Vector3d.
 *
 * A Pair, a Checker, a Scene, a VoxelMap and a World belong to one thread at a time: `clone()` one for each.
 */
#ifndef CLEARANCE_HPP
#define CLEARANCE_HPP

#include "clearance.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if !defined(CLEARANCE_NO_EXCEPTIONS)
#include <stdexcept>
#else
#include <cstdio>
#include <cstdlib>
#endif

namespace clearance {
#if defined(CLEARANCE_NO_EXCEPTIONS)
/* Other types behind the same names: programs may mix both modes. */
inline namespace statuses {
#endif

using Status = clearance_status;
using Distance = clearance_distance;
using SignedDistance = clearance_signed_distance;
using Penetration = clearance_penetration;
using Gradient = clearance_gradient;
using Ray = clearance_ray;
using RayHit = clearance_ray_hit;
using PointDistance = clearance_point_distance;
using Impact = clearance_impact;
using DistanceRequest = clearance_distance_request;
using DepthRequest = clearance_depth_request;
using DepthCamera = clearance_depth_camera;
using Scan = clearance_scan;
using Gap = clearance_gap;
using Vector3 = std::array<double, 3>;

namespace detail {
/* How far apart the elements of a container are, in elements: not always 1 for Eigen's. */
template <class C, class = void> struct stride_of : std::integral_constant<int, 1> {};
template <class C>
struct stride_of<C, std::void_t<decltype(C::InnerStrideAtCompileTime)>>
    : std::integral_constant<int, C::InnerStrideAtCompileTime> {};

/* The number of rows of `width` elements; too many for any call where they are not whole, so that it refuses. */
inline std::size_t rows(std::size_t size, std::size_t width) {
    if (width == 0) return 0;
    return size % width == 0 ? size / width : std::numeric_limits<std::size_t>::max();
}
} // namespace detail

/* A view of elements that somebody else owns. Of an Eigen matrix it sees the elements in the order of its memory:
 * rows of a batch are those of a row-major matrix. */
template <class T> class Span {
public:
    Span() = default;
    Span(T *data, std::size_t size) : data_(data), size_(size) {}
    template <std::size_t N> Span(T (&array)[N]) : data_(array), size_(N) {}
    template <class C, class = std::enable_if_t<std::is_convertible_v<
                           std::remove_pointer_t<decltype(std::declval<C &>().data())> (*)[], T (*)[]>>>
    Span(C &&container) : data_(container.data()), size_(static_cast<std::size_t>(container.size())) {
        static_assert(detail::stride_of<std::decay_t<C>>::value == 1,
                      "elements that do not stand side by side, as a row of a column-major matrix: copy them first");
    }

    T *data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T *begin() const { return data_; }
    T *end() const { return data_ + size_; }
    T &operator[](std::size_t i) const { return data_[i]; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

#if !defined(CLEARANCE_NO_EXCEPTIONS)

/* What went wrong: the library's sentence, and its class. */
class Error : public std::runtime_error {
public:
    explicit Error(Status status) : std::runtime_error(clearance_last_error()), status_(status) {}
    Status status() const { return status_; }

private:
    Status status_;
};

template <class T> using Answer = T;

namespace detail {
inline void check(Status status) {
    if (status != CLEARANCE_STATUS_OK) throw Error(status);
}
template <class F> auto answer(Status status, F &&value) {
    check(status);
    return value();
}
inline void answer(Status status) { check(status); }
} // namespace detail

#else

/* What a call returns: a value, or a status and a message. */
template <class T> class Answer {
public:
    Answer(T value) : value_(std::move(value)) {}
    explicit Answer(Status status) : status_(status), message_(clearance_last_error()) {}
    bool ok() const { return value_.has_value(); }
    explicit operator bool() const { return ok(); }
    Status status() const { return status_; }
    const std::string &message() const { return message_; }
    /* Ends the program where there is none: ask `ok` first. */
    T &value() & { return require(), *value_; }
    T &&value() && { return require(), std::move(*value_); }

private:
    void require() const {
        if (!value_) {
            std::fprintf(stderr, "clearance: %s\n", message_.c_str());
            std::abort();
        }
    }
    std::optional<T> value_;
    Status status_ = CLEARANCE_STATUS_OK;
    std::string message_;
};

template <> class Answer<void> {
public:
    explicit Answer(Status status) : status_(status) {
        if (status != CLEARANCE_STATUS_OK) message_ = clearance_last_error();
    }
    bool ok() const { return status_ == CLEARANCE_STATUS_OK; }
    explicit operator bool() const { return ok(); }
    Status status() const { return status_; }
    const std::string &message() const { return message_; }

private:
    Status status_;
    std::string message_;
};

namespace detail {
template <class F> auto answer(Status status, F &&value) -> Answer<std::decay_t<decltype(value())>> {
    if (status != CLEARANCE_STATUS_OK) return Answer<std::decay_t<decltype(value())>>(status);
    return {value()};
}
inline Answer<void> answer(Status status) { return Answer<void>(status); }
} // namespace detail

#endif

namespace detail {
/* Owns a handle. */
template <class H, Status (*Free)(H *)> class Handle {
public:
    H *get() const { return handle_.get(); }

protected:
    Handle() = default;
    explicit Handle(H *handle) : handle_(handle) {}

private:
    struct Freed {
        void operator()(H *handle) const { Free(handle); }
    };
    std::unique_ptr<H, Freed> handle_;
};
inline std::string text(const char *name) { return name ? name : ""; }
inline const char *maybe(const std::string &text) { return text.empty() ? nullptr : text.c_str(); }
template <class T> const T *maybe(const std::optional<T> &value) { return value ? &*value : nullptr; }
inline std::vector<const char *> pointers(const std::vector<std::string> &texts) {
    std::vector<const char *> found;
    for (const std::string &text : texts) found.push_back(text.c_str());
    return found;
}
/* Bools as plain arrays: std::vector<bool> has none. */
inline std::vector<bool> bools(const std::unique_ptr<bool[]> &all, std::size_t count) {
    return std::vector<bool>(all.get(), all.get() + count);
}
} // namespace detail

inline std::string version() { return clearance_version(); }
/* An error if the library that is loaded is not what the header was made for. */
inline Answer<void> check_abi() { return detail::answer(CLEARANCE_CHECK_ABI()); }

/* A pose a_from_b: it maps coordinates of frame B to frame A. */
struct Pose : clearance_pose {
    Pose() : clearance_pose(clearance_pose_identity()) {}
    Pose(const clearance_pose &pose) : clearance_pose(pose) {}
    static Pose at(double x, double y, double z) {
        Pose pose;
        pose.rows[0][3] = x;
        pose.rows[1][3] = y;
        pose.rows[2][3] = z;
        return pose;
    }
    /* A translation, and a quaternion w, x, y, z. */
    static Answer<Pose> from_quaternion(const Vector3 &xyz, const std::array<double, 4> &wxyz) {
        clearance_pose pose;
        Status status = clearance_pose_from_quaternion(xyz.data(), wxyz.data(), &pose);
        return detail::answer(status, [&] { return Pose(pose); });
    }
    Vector3 translation() const { return {rows[0][3], rows[1][3], rows[2][3]}; }
    Vector3 operator*(const Vector3 &p) const {
        Vector3 moved;
        for (int i = 0; i < 3; i++) moved[i] = rows[i][0] * p[0] + rows[i][1] * p[1] + rows[i][2] * p[2] + rows[i][3];
        return moved;
    }
    Pose inverse() const {
        Pose back;
        for (int i = 0; i < 3; i++) {
            back.rows[i][3] = 0;
            for (int j = 0; j < 3; j++) {
                back.rows[i][j] = rows[j][i];
                back.rows[i][3] -= rows[j][i] * rows[j][3];
            }
        }
        return back;
    }
#if defined(EIGEN_WORLD_VERSION)
    template <int Mode, int Options>
    Pose(const Eigen::Transform<double, 3, Mode, Options> &pose) : Pose() {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 4; j++) rows[i][j] = pose(i, j);
    }
    Eigen::Isometry3d isometry() const {
        Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 4; j++) pose(i, j) = rows[i][j];
        return pose;
    }
#endif
};
static_assert(sizeof(Pose) == sizeof(clearance_pose), "arrays of poses are arrays of C's poses");

#if defined(EIGEN_WORLD_VERSION)
/* Three numbers of an answer as a vector of Eigen, without a copy. */
inline Eigen::Map<const Eigen::Vector3d> eigen(const double (&vector)[3]) {
    return Eigen::Map<const Eigen::Vector3d>(vector);
}
inline Eigen::Map<const Eigen::VectorXd> eigen(const std::vector<double> &numbers) {
    return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}
#endif

/* A set of points that queries are about. It never changes; a copy is another handle of the same. */
class Geometry : public detail::Handle<clearance_geometry, clearance_geometry_free> {
public:
    explicit Geometry(clearance_geometry *owned) : Handle(owned) {}
    Geometry(Geometry &&) = default;
    Geometry &operator=(Geometry &&) = default;
    Geometry(const Geometry &other) : Handle(other.another()) {}
    Geometry &operator=(const Geometry &other) { return *this = Geometry(other); }

    /* Vertices as x, y, z each, triangles as three numbers of vertices each. */
    static Answer<Geometry> mesh(Span<const double> vertices, Span<const std::uint32_t> triangles,
                                 clearance_mesh_options options = {}) {
        clearance_geometry *made = nullptr;
        return owned(clearance_mesh_new(vertices.data(), detail::rows(vertices.size(), 3), triangles.data(),
                                        detail::rows(triangles.size(), 3),
                                        &options, &made), made);
    }
    static Answer<Geometry> load(const std::string &file, clearance_mesh_options options = {}) {
        clearance_geometry *made = nullptr;
        return owned(clearance_mesh_load(file.c_str(), &options, &made), made);
    }
    static Answer<Geometry> box(double x, double y, double z) {
        clearance_geometry *made = nullptr;
        return owned(clearance_box_new(x, y, z, &made), made);
    }
    static Answer<Geometry> sphere(double radius) {
        clearance_geometry *made = nullptr;
        return owned(clearance_sphere_new(radius, &made), made);
    }
    static Answer<Geometry> capsule(double radius, double length) {
        clearance_geometry *made = nullptr;
        return owned(clearance_capsule_new(radius, length, &made), made);
    }
    static Answer<Geometry> cylinder(double radius, double length) {
        clearance_geometry *made = nullptr;
        return owned(clearance_cylinder_new(radius, length, &made), made);
    }
    static Answer<Geometry> cone(double radius, double length) {
        clearance_geometry *made = nullptr;
        return owned(clearance_cone_new(radius, length, &made), made);
    }
    static Answer<Geometry> ellipsoid(double x, double y, double z) {
        clearance_geometry *made = nullptr;
        return owned(clearance_ellipsoid_new(x, y, z, &made), made);
    }
    static Answer<Geometry> convex_hull(Span<const double> points) {
        clearance_geometry *made = nullptr;
        return owned(clearance_convex_hull_new(points.data(), detail::rows(points.size(), 3), &made), made);
    }
    static Answer<Geometry> half_space(const Vector3 &normal, double offset) {
        clearance_geometry *made = nullptr;
        return owned(clearance_half_space_new(normal.data(), offset, &made), made);
    }
    static Answer<Geometry> plane(const Vector3 &normal, double offset) {
        clearance_geometry *made = nullptr;
        return owned(clearance_plane_new(normal.data(), offset, &made), made);
    }
    static Answer<Geometry> point_cloud(Span<const double> points, double radius) {
        clearance_geometry *made = nullptr;
        return owned(clearance_point_cloud_new(points.data(), detail::rows(points.size(), 3), radius, &made), made);
    }
    static Answer<Geometry> load_point_cloud(const std::string &file, double radius) {
        clearance_geometry *made = nullptr;
        return owned(clearance_point_cloud_load(file.c_str(), radius, &made), made);
    }
    /* Row by row; heights.size() must be a multiple of columns. */
    static Answer<Geometry> height_field(Span<const double> heights, std::size_t columns, double spacing_x,
                                         double spacing_y, double base = std::numeric_limits<double>::quiet_NaN()) {
        clearance_geometry *made = nullptr;
        std::size_t rows = detail::rows(heights.size(), columns);
        return owned(clearance_height_field_new(heights.data(), rows, columns, spacing_x, spacing_y, base, &made), made);
    }
    static Answer<Geometry> compound(const std::vector<std::pair<Geometry, Pose>> &parts) {
        std::vector<const clearance_geometry *> geometries;
        std::vector<clearance_pose> poses;
        for (const auto &[geometry, pose] : parts) {
            geometries.push_back(geometry.get());
            poses.push_back(pose);
        }
        clearance_geometry *made = nullptr;
        return owned(clearance_compound_new(geometries.data(), poses.data(), parts.size(), &made), made);
    }

    Answer<Geometry> solid() const {
        clearance_geometry *made = nullptr;
        return owned(clearance_mesh_solid(get(), &made), made);
    }
    Answer<Geometry> convex_hull() const {
        clearance_geometry *made = nullptr;
        return owned(clearance_mesh_convex_hull(get(), &made), made);
    }
    Answer<Geometry> decompose(double error) const {
        clearance_geometry *made = nullptr;
        return owned(clearance_mesh_decompose(get(), error, &made, nullptr, nullptr), made);
    }
    /* How many vertices and triangles a mesh has. */
    Answer<std::pair<std::size_t, std::size_t>> size() const {
        std::size_t vertices = 0, triangles = 0;
        Status status = clearance_mesh_size(get(), &vertices, &triangles);
        return detail::answer(status, [&] { return std::make_pair(vertices, triangles); });
    }
    Answer<std::pair<Vector3, Vector3>> bounding_box() const {
        Vector3 low, high;
        Status status = clearance_geometry_bounding_box(get(), low.data(), high.data());
        return detail::answer(status, [&] { return std::make_pair(low, high); });
    }
    /* The vertices of a mesh, x, y, z each, and its triangles, three numbers of vertices each. */
    Answer<std::pair<std::vector<double>, std::vector<std::uint32_t>>> mesh_data() const {
        std::size_t vertices = 0, triangles = 0;
        Status status = clearance_mesh_size(get(), &vertices, &triangles);
        std::pair<std::vector<double>, std::vector<std::uint32_t>> data;
        data.first.resize(3 * vertices);
        data.second.resize(3 * triangles);
        if (status == CLEARANCE_STATUS_OK)
            status = clearance_mesh_data(get(), data.first.data(), vertices, data.second.data(), triangles);
        return detail::answer(status, [&] { return std::move(data); });
    }
    Answer<bool> is_solid() const {
        bool solid = false;
        Status status = clearance_mesh_is_solid(get(), &solid);
        return detail::answer(status, [&] { return solid; });
    }
    Answer<std::vector<RayHit>> rays(Span<const Ray> rays, unsigned threads = 1) const {
        std::vector<RayHit> hits(rays.size());
        Status status = clearance_geometry_rays(get(), rays.data(), rays.size(), threads, hits.data());
        return detail::answer(status, [&] { return std::move(hits); });
    }
    Answer<std::vector<RayHit>> ray_hits(const Ray &ray) const {
        std::size_t count = 0;
        Status status = clearance_geometry_ray_hits(get(), &ray, nullptr, 0, &count);
        std::vector<RayHit> hits(count);
        if (status == CLEARANCE_STATUS_OK && count)
            status = clearance_geometry_ray_hits(get(), &ray, hits.data(), hits.size(), &count);
        return detail::answer(status, [&] { return std::move(hits); });
    }
    Answer<std::vector<PointDistance>> signed_distances(Span<const double> points, unsigned threads = 1) const {
        std::vector<PointDistance> found(points.size() / 3);
        Status status =
            clearance_geometry_signed_distances(get(), points.data(), detail::rows(points.size(), 3), threads, found.data());
        return detail::answer(status, [&] { return std::move(found); });
    }

private:
    clearance_geometry *another() const {
        clearance_geometry *clone = nullptr;
        if (get()) clearance_geometry_clone(get(), &clone);
        return clone;
    }
    static Answer<Geometry> owned(Status status, clearance_geometry *&made) {
        return detail::answer(status, [&] { return Geometry(made); });
    }
};

/* How a body moves. */
class Motion : public detail::Handle<clearance_motion, clearance_motion_free> {
public:
    explicit Motion(clearance_motion *owned) : Handle(owned) {}
    static Answer<Motion> still(const Pose &pose = {}) {
        clearance_motion *made = nullptr;
        return owned(clearance_motion_still(&pose, &made), made);
    }
    static Answer<Motion> between(const Pose &start, const Pose &end, double duration = 1) {
        clearance_motion *made = nullptr;
        return owned(clearance_motion_between(&start, &end, duration, &made), made);
    }
    static Answer<Motion> moving(const Pose &start, const Vector3 &linear, const Vector3 &angular, double duration = 1,
                                 const Vector3 &center = {}) {
        clearance_motion *made = nullptr;
        return owned(clearance_motion_moving(&start, center.data(), linear.data(), angular.data(), duration, &made), made);
    }
    static Answer<Motion> screw(const Pose &start, const Vector3 &point, const Vector3 &angular, double sliding,
                                double duration = 1) {
        clearance_motion *made = nullptr;
        return owned(clearance_motion_screw(&start, point.data(), angular.data(), sliding, duration, &made), made);
    }
    static Answer<Motion> thrown(const Pose &start, const Vector3 &velocity, const Vector3 &acceleration,
                                 const Vector3 &angular = {}, double duration = 1, const Vector3 &center = {}) {
        clearance_motion *made = nullptr;
        return owned(clearance_motion_thrown(&start, center.data(), velocity.data(), acceleration.data(), angular.data(),
                                             duration, &made), made);
    }
    static Answer<Motion> through(Span<const double> times, Span<const Pose> poses) {
        clearance_motion *made = nullptr;
        std::size_t count = times.size() == poses.size() ? times.size() : std::numeric_limits<std::size_t>::max();
        return owned(clearance_motion_through(times.data(), poses.data(), count, &made), made);
    }
    /* `coefficients` has x, y, z for each power of the time, from the first on. */
    static Answer<Motion> polynomial(const Pose &start, Span<const double> coefficients, const Vector3 &angular = {},
                                     double duration = 1, const Vector3 &center = {}) {
        clearance_motion *made = nullptr;
        std::size_t count = detail::rows(coefficients.size(), 3);
        return owned(clearance_motion_polynomial(&start, center.data(), coefficients.data(), count, angular.data(),
                                                 duration, &made), made);
    }
    /* This motion, and then another one that starts where it ends. */
    Answer<Motion> then(const Motion &next) const {
        clearance_motion *made = nullptr;
        return owned(clearance_motion_then(get(), next.get(), &made), made);
    }
    Answer<double> duration() const {
        double duration = 0;
        Status status = clearance_motion_at(get(), 0, nullptr, &duration);
        return detail::answer(status, [&] { return duration; });
    }
    Answer<Pose> at(double t) const {
        clearance_pose pose;
        Status status = clearance_motion_at(get(), t, &pose, nullptr);
        return detail::answer(status, [&] { return Pose(pose); });
    }

private:
    static Answer<Motion> owned(Status status, clearance_motion *&made) {
        return detail::answer(status, [&] { return Motion(made); });
    }
};

/* A contact with points of its own. */
struct Contact {
    std::uint32_t leaf_a, leaf_b;
    double distance;
    Vector3 normal;
    std::vector<Vector3> points;
};

/* Two geometries: coal's `collide` and `distance` as methods of one object, which keeps its memory. */
class Pair : public detail::Handle<clearance_pair, clearance_pair_free> {
public:
    explicit Pair(clearance_pair *owned) : Handle(owned) {}
#if !defined(CLEARANCE_NO_EXCEPTIONS)
    Pair(const Geometry &a, const Geometry &b) : Pair(make(a, b)) {}
#endif
    static Answer<Pair> make(const Geometry &a, const Geometry &b) {
        clearance_pair *made = nullptr;
        Status status = clearance_pair_new(a.get(), b.get(), &made);
        return detail::answer(status, [&] { return Pair(made); });
    }
    Answer<Pair> clone() const {
        clearance_pair *made = nullptr;
        Status status = clearance_pair_clone(get(), &made);
        return detail::answer(status, [&] { return Pair(made); });
    }
    Answer<bool> collides(const Pose &a_from_b) {
        bool hit = false;
        Status status = clearance_pair_collides(get(), &a_from_b, &hit);
        return detail::answer(status, [&] { return hit; });
    }
    Answer<std::vector<bool>> collides(Span<const Pose> poses, unsigned threads = 1) {
        std::unique_ptr<bool[]> hits(new bool[poses.size() + 1]());
        Status status = clearance_pair_collides_batch(get(), poses.data(), poses.size(), threads, hits.get());
        return detail::answer(status, [&] { return detail::bools(hits, poses.size()); });
    }
    Answer<Distance> distance(const Pose &a_from_b, const DistanceRequest &request = {}) {
        Distance found{};
        Status status = clearance_pair_distance(get(), &a_from_b, &request, &found);
        return detail::answer(status, [&] { return found; });
    }
    Answer<std::vector<Distance>> distances(Span<const Pose> poses, const DistanceRequest &request = {},
                                            unsigned threads = 1) {
        std::vector<Distance> found(poses.size());
        Status status = clearance_pair_distances(get(), poses.data(), poses.size(), &request, threads, found.data());
        return detail::answer(status, [&] { return std::move(found); });
    }
    Answer<bool> is_within(const Pose &a_from_b, double distance) {
        bool within = false;
        Status status = clearance_pair_is_within(get(), &a_from_b, distance, &within);
        return detail::answer(status, [&] { return within; });
    }
    /* None where the geometries touch. */
    Answer<std::optional<Gradient>> gradient(const Pose &a_from_b) {
        Gradient gradient{};
        bool found = false;
        Status status = clearance_pair_gradient(get(), &a_from_b, &gradient, &found);
        return detail::answer(status, [&] { return found ? std::optional(gradient) : std::nullopt; });
    }
    Answer<SignedDistance> signed_distance(const Pose &a_from_b, const DepthRequest &request = {}) {
        SignedDistance found{};
        Status status = clearance_pair_signed_distance(get(), &a_from_b, &request, &found, nullptr);
        return detail::answer(status, [&] { return found; });
    }
    /* None where the geometries are apart. */
    Answer<std::optional<Penetration>> penetration(const Pose &a_from_b, const DepthRequest &request = {}) {
        Penetration depth{};
        bool found = false;
        Status status = clearance_pair_penetration(get(), &a_from_b, &request, &depth, &found);
        return detail::answer(status, [&] { return found ? std::optional(depth) : std::nullopt; });
    }
    Answer<std::vector<Contact>> contacts(const Pose &a_from_b, double margin = 0, std::size_t max_contacts = 0) {
        const clearance_contact *contacts = nullptr;
        std::size_t count = 0;
        Status status =
            clearance_pair_contacts(get(), &a_from_b, margin, max_contacts, &contacts, &count, nullptr, nullptr);
        return detail::answer(status, [&] {
            std::vector<Contact> found;
            for (std::size_t i = 0; i < count; i++) {
                const clearance_contact &c = contacts[i];
                Contact one{c.leaf_a, c.leaf_b, c.distance, {c.normal[0], c.normal[1], c.normal[2]}, {}};
                for (std::size_t j = 0; j < c.point_count; j++)
                    one.points.push_back({c.points[j][0], c.points[j][1], c.points[j][2]});
                found.push_back(std::move(one));
            }
            return found;
        });
    }
    Answer<Impact> time_of_impact(const Motion &a, const Motion &b, double distance = 0, double tolerance = 0) {
        Impact impact{};
        Status status = clearance_pair_time_of_impact(get(), a.get(), b.get(), distance, tolerance, &impact);
        return detail::answer(status, [&] { return impact; });
    }
};

/* An occupancy grid that grows with what is measured. */
class VoxelMap : public detail::Handle<clearance_voxel_map, clearance_voxel_map_free> {
public:
    explicit VoxelMap(clearance_voxel_map *owned) : Handle(owned) {}
#if !defined(CLEARANCE_NO_EXCEPTIONS)
    explicit VoxelMap(double resolution) : VoxelMap(make(resolution)) {}
#endif
    static Answer<VoxelMap> make(double resolution) {
        clearance_voxel_map *made = nullptr;
        Status status = clearance_voxel_map_new(resolution, &made);
        return detail::answer(status, [&] { return VoxelMap(made); });
    }
    static Answer<VoxelMap> load(const std::string &file, clearance_cell background = CLEARANCE_CELL_FREE) {
        clearance_voxel_map *made = nullptr;
        Status status = clearance_voxel_map_load(file.c_str(), background, &made);
        return detail::answer(status, [&] { return VoxelMap(made); });
    }
    Answer<void> save(const std::string &file) { return detail::answer(clearance_voxel_map_save(get(), file.c_str())); }
    Answer<void> set(Span<const double> points, clearance_cell cell) {
        return detail::answer(clearance_voxel_map_set(get(), points.data(), detail::rows(points.size(), 3), cell));
    }
    /* All cells from the one that contains `low` to the one that contains `high`. */
    Answer<void> fill(const Vector3 &low, const Vector3 &high, clearance_cell cell = CLEARANCE_CELL_OBSTACLE) {
        return detail::answer(clearance_voxel_map_fill(get(), low.data(), high.data(), cell));
    }
    /* The cells that a mesh touches, and those inside of it if it is `solid`. */
    Answer<void> rasterize(const Geometry &mesh, const Pose &map_from_mesh = {}, bool solid = true,
                           clearance_cell cell = CLEARANCE_CELL_OBSTACLE) {
        return detail::answer(clearance_voxel_map_rasterize(get(), mesh.get(), &map_from_mesh, solid, cell));
    }
    Answer<double> resolution() const {
        double resolution = 0;
        Status status = clearance_voxel_map_resolution(get(), &resolution);
        return detail::answer(status, [&] { return resolution; });
    }
    /* Cells of a kind as cubes: the centre of each, and its edge length. */
    Answer<std::vector<std::pair<Vector3, double>>> cubes(clearance_cell cell = CLEARANCE_CELL_OBSTACLE) const {
        std::size_t count = 0;
        Status status = clearance_voxel_map_cubes(get(), cell, nullptr, nullptr, 0, &count);
        std::vector<double> centers(3 * count), sizes(count);
        if (status == CLEARANCE_STATUS_OK && count)
            status = clearance_voxel_map_cubes(get(), cell, centers.data(), sizes.data(), count, &count);
        return detail::answer(status, [&] {
            std::vector<std::pair<Vector3, double>> found;
            for (std::size_t i = 0; i < sizes.size(); i++)
                found.push_back({{centers[3 * i], centers[3 * i + 1], centers[3 * i + 2]}, sizes[i]});
            return found;
        });
    }
    Answer<std::vector<clearance_cell>> cells(Span<const double> points) {
        std::vector<clearance_cell> found(points.size() / 3);
        Status status = clearance_voxel_map_cells(get(), points.data(), detail::rows(points.size(), 3), found.data());
        return detail::answer(status, [&] { return std::move(found); });
    }
    Answer<Scan> insert_rays(const Vector3 &origin, Span<const double> points, double max_range = 0) {
        Scan scan{};
        Status status = clearance_voxel_map_insert_rays(get(), origin.data(), points.data(), detail::rows(points.size(), 3),
                                                        max_range, &scan);
        return detail::answer(status, [&] { return scan; });
    }
    Answer<Scan> insert_depth_image(const DepthCamera &camera, Span<const float> depths, const Pose &map_from_camera,
                                    double max_range = 0) {
        Scan scan{};
        Status status = clearance_voxel_map_insert_depth_image(get(), &camera, depths.data(), depths.size(),
                                                               &map_from_camera, max_range, &scan);
        return detail::answer(status, [&] { return scan; });
    }
    /* The present obstacles; the map may change afterwards. */
    Answer<Geometry> obstacles() {
        clearance_geometry *made = nullptr;
        Status status = clearance_voxel_map_obstacles(get(), &made);
        return detail::answer(status, [&] { return Geometry(made); });
    }
    Answer<void> clear() { return detail::answer(clearance_voxel_map_clear(get())); }
};

/* A kinematic tree with geometry; it never changes. */
class Robot : public detail::Handle<clearance_robot, clearance_robot_free> {
public:
    explicit Robot(clearance_robot *owned) : Handle(owned) {}
    static Answer<Robot> load(const std::string &urdf, const std::string &srdf = "",
                              const std::vector<std::string> &package_dirs = {}, unsigned flags = 0) {
        clearance_robot *made = nullptr;
        auto dirs = detail::pointers(package_dirs);
        clearance_robot_options options{dirs.data(), dirs.size(), flags};
        return owned(clearance_robot_load(urdf.c_str(), detail::maybe(srdf), &options, &made), made);
    }
    static Answer<Robot> from_urdf(const std::string &urdf, const std::string &srdf = "",
                                   const std::vector<std::string> &package_dirs = {}, unsigned flags = 0) {
        clearance_robot *made = nullptr;
        auto dirs = detail::pointers(package_dirs);
        clearance_robot_options options{dirs.data(), dirs.size(), flags};
        return owned(clearance_robot_from_urdf(urdf.c_str(), detail::maybe(srdf), &options, &made), made);
    }
    /* The built-in humanoid. */
    static Answer<Robot> humanoid() {
        clearance_robot *made = nullptr;
        return owned(clearance_robot_humanoid(&made), made);
    }
    Answer<Robot> scaled(const std::vector<std::pair<std::string, double>> &links) const {
        std::vector<const char *> names;
        std::vector<double> scales;
        for (const auto &[name, scale] : links) {
            names.push_back(name.c_str());
            scales.push_back(scale);
        }
        clearance_robot *made = nullptr;
        return owned(clearance_robot_scale_links(get(), names.data(), scales.data(), names.size(), &made), made);
    }
    std::string name() const {
        const char *name = nullptr;
        clearance_robot_describe(get(), &name, nullptr, nullptr);
        return detail::text(name);
    }
    std::size_t dof() const {
        std::size_t dof = 0;
        clearance_robot_describe(get(), nullptr, &dof, nullptr);
        return dof;
    }
    std::vector<std::string> link_names() const {
        std::size_t count = 0;
        clearance_robot_describe(get(), nullptr, nullptr, &count);
        return names(clearance_robot_link_name, count);
    }
    std::vector<std::string> joint_names() const { return names(clearance_robot_joint_name, dof()); }
    Answer<std::size_t> link_index(const std::string &name) const {
        std::size_t index = 0;
        Status status = clearance_robot_link_index(get(), name.c_str(), &index);
        return detail::answer(status, [&] { return index; });
    }
    /* Which numbers of a configuration belong to a group of the SRDF file. */
    Answer<std::vector<std::size_t>> group(const std::string &name) const {
        std::vector<std::size_t> variables(dof());
        std::size_t count = 0;
        Status status = clearance_robot_group(get(), name.c_str(), variables.data(), variables.size(), &count);
        variables.resize(count);
        return detail::answer(status, [&] { return std::move(variables); });
    }
    /* Whether a checker looks at two links by default. */
    Answer<bool> is_checked(std::size_t link_a, std::size_t link_b) const {
        bool checked = false;
        Status status = clearance_robot_is_checked(get(), link_a, link_b, &checked);
        return detail::answer(status, [&] { return checked; });
    }
    /* What the reader ignored or assumed. */
    std::vector<std::string> notes() const {
        std::vector<std::string> found;
        const char *note = nullptr;
        while (clearance_robot_note(get(), found.size(), &note) == CLEARANCE_STATUS_OK && note) found.push_back(note);
        return found;
    }
    std::vector<double> lower() const {
        std::vector<double> q(dof());
        clearance_robot_limits(get(), q.size(), q.data(), nullptr, nullptr);
        return q;
    }
    std::vector<double> upper() const {
        std::vector<double> q(dof());
        clearance_robot_limits(get(), q.size(), nullptr, q.data(), nullptr);
        return q;
    }
    /* All joints at 0, or at the nearest limit. */
    std::vector<double> middle() const {
        std::vector<double> q(dof());
        clearance_robot_limits(get(), q.size(), nullptr, nullptr, q.data());
        return q;
    }
    Answer<std::vector<Pose>> link_poses(Span<const double> q, const Pose &base = {}) const {
        std::size_t count = 0;
        clearance_robot_describe(get(), nullptr, nullptr, &count);
        std::vector<Pose> poses(count);
        Status status = clearance_robot_link_poses(get(), &base, q.data(), q.size(), poses.data(), count);
        return detail::answer(status, [&] { return std::move(poses); });
    }

private:
    std::vector<std::string> names(Status (*nth)(const clearance_robot *, std::size_t, const char **),
                                   std::size_t count) const {
        std::vector<std::string> found;
        const char *name = nullptr;
        for (std::size_t i = 0; i < count && nth(get(), i, &name) == CLEARANCE_STATUS_OK; i++) found.push_back(name);
        return found;
    }
    static Answer<Robot> owned(Status status, clearance_robot *&made) {
        return detail::answer(status, [&] { return Robot(made); });
    }
};

/* Named objects that come, go and move. */
class Scene : public detail::Handle<clearance_scene, clearance_scene_free> {
public:
    explicit Scene(clearance_scene *owned) : Handle(owned) {}
#if !defined(CLEARANCE_NO_EXCEPTIONS)
    Scene() : Scene(make()) {}
#endif
    static Answer<Scene> make() {
        clearance_scene *made = nullptr;
        Status status = clearance_scene_new(&made);
        return detail::answer(status, [&] { return Scene(made); });
    }
    static Answer<Scene> load(const std::string &file) {
        clearance_scene *made = nullptr;
        Status status = clearance_scene_load(file.c_str(), &made);
        return detail::answer(status, [&] { return Scene(made); });
    }
    Answer<void> save(const std::string &file) { return detail::answer(clearance_scene_save(get(), file.c_str())); }
    Answer<Scene> clone() const {
        clearance_scene *made = nullptr;
        Status status = clearance_scene_clone(get(), &made);
        return detail::answer(status, [&] { return Scene(made); });
    }
    Answer<void> add(const std::string &name, const Geometry &geometry, const Pose &pose = {}) {
        return detail::answer(clearance_scene_add(get(), name.c_str(), geometry.get(), &pose));
    }
    Answer<void> replace(const std::string &name, const Geometry &geometry) {
        return detail::answer(clearance_scene_replace(get(), name.c_str(), geometry.get()));
    }
    Answer<void> move(const std::string &name, const Pose &pose) {
        return detail::answer(clearance_scene_move(get(), name.c_str(), &pose));
    }
    Answer<void> remove(const std::string &name) {
        return detail::answer(clearance_scene_remove(get(), name.c_str(), nullptr, nullptr));
    }
    Answer<Pose> pose(const std::string &name) const {
        clearance_pose pose;
        Status status = clearance_scene_pose(get(), name.c_str(), &pose);
        return detail::answer(status, [&] { return Pose(pose); });
    }
    Answer<Geometry> geometry(const std::string &name) const {
        clearance_geometry *made = nullptr;
        Status status = clearance_scene_geometry(get(), name.c_str(), &made);
        return detail::answer(status, [&] { return Geometry(made); });
    }
    /* Where rays of the world first meet the scene, and the names of what they meet: empty for nothing. */
    Answer<std::vector<std::pair<std::string, RayHit>>> rays(Span<const Ray> rays) const {
        std::vector<RayHit> hits(rays.size());
        std::vector<const char *> names(rays.size());
        Status status = clearance_scene_rays(get(), rays.data(), rays.size(), hits.data(), names.data());
        return detail::answer(status, [&] { return named(names, hits); });
    }
    /* All that a ray of the world meets, in the order of `t`. */
    Answer<std::vector<std::pair<std::string, RayHit>>> ray_hits(const Ray &ray) const {
        std::size_t count = 0;
        Status status = clearance_scene_ray_hits(get(), &ray, nullptr, nullptr, 0, &count);
        std::vector<RayHit> hits(count);
        std::vector<const char *> names(count);
        if (status == CLEARANCE_STATUS_OK && count)
            status = clearance_scene_ray_hits(get(), &ray, hits.data(), names.data(), count, &count);
        return detail::answer(status, [&] { return named(names, hits); });
    }
    /* The signed distances of points of the world from the nearest object, with its name. */
    Answer<std::vector<std::pair<std::string, PointDistance>>> signed_distances(Span<const double> points) const {
        std::size_t count = points.size() / 3;
        std::vector<PointDistance> found(count);
        std::vector<const char *> names(count);
        Status status = clearance_scene_signed_distances(get(), points.data(), detail::rows(points.size(), 3),
                                                         found.data(), names.data());
        return detail::answer(status, [&] { return named(names, found); });
    }
    std::vector<std::string> names() const {
        std::size_t count = 0;
        clearance_scene_count(get(), &count);
        std::vector<std::string> found;
        const char *name = nullptr;
        for (std::size_t i = 0; i < count && clearance_scene_name(get(), i, &name) == CLEARANCE_STATUS_OK; i++)
            found.push_back(name);
        return found;
    }
    Answer<std::vector<float>> depth_image(const DepthCamera &camera, const Pose &world_from_camera,
                                           unsigned threads = 1) {
        /* More pixels than a camera may have are refused before there is memory for them. */
        std::uint64_t width = camera.width, height = camera.height;
        bool fits = height == 0 || width <= (std::uint64_t(1) << 28) / height;
        std::vector<float> depths(fits ? static_cast<std::size_t>(width * height) : 0);
        Status status =
            clearance_scene_depth_image(get(), &camera, &world_from_camera, threads, depths.data(), depths.size());
        return detail::answer(status, [&] { return std::move(depths); });
    }

private:
    template <class T>
    static std::vector<std::pair<std::string, T>> named(const std::vector<const char *> &names, const std::vector<T> &all) {
        std::vector<std::pair<std::string, T>> found;
        for (std::size_t i = 0; i < all.size(); i++) found.push_back({detail::text(names[i]), all[i]});
        return found;
    }
};

/* Paddings, margins and pairs. */
class Options : public detail::Handle<clearance_options, clearance_options_free> {
public:
    explicit Options(clearance_options *owned) : Handle(owned) {}
#if !defined(CLEARANCE_NO_EXCEPTIONS)
    Options() : Options(make()) {}
#endif
    static Answer<Options> make() {
        clearance_options *made = nullptr;
        Status status = clearance_options_new(&made);
        return detail::answer(status, [&] { return Options(made); });
    }
    Answer<void> padding(double padding) { return detail::answer(clearance_options_set_padding(get(), padding)); }
    Answer<void> padding(const std::string &link, double padding) {
        return detail::answer(clearance_options_set_link_padding(get(), link.c_str(), padding));
    }
    Answer<void> margin(double margin) { return detail::answer(clearance_options_set_margin(get(), margin)); }
    Answer<void> margin(const std::string &a, const std::string &b, double margin) {
        const char *names[2] = {a.c_str(), b.c_str()};
        const double matrix[4] = {margin, margin, margin, margin};
        return detail::answer(clearance_options_set_margins(get(), names, matrix, 2));
    }
    /* A symmetric matrix row by row; NaN leaves a pair as it is. An error if it has another size. */
    Answer<void> margins(const std::vector<std::string> &names, Span<const double> matrix) {
        auto texts = detail::pointers(names);
        bool fits = matrix.size() == names.size() * names.size();
        return detail::answer(
            clearance_options_set_margins(get(), texts.data(), fits ? matrix.data() : nullptr, names.size()));
    }
    Answer<void> allow(const std::string &a, const std::string &b) {
        return detail::answer(clearance_options_allow(get(), a.c_str(), b.c_str()));
    }
    Answer<void> disable(const std::string &a, const std::string &b) {
        return detail::answer(clearance_options_disable(get(), a.c_str(), b.c_str()));
    }
    Answer<void> only(const std::vector<std::string> &links) {
        auto texts = detail::pointers(links);
        static const char *const none = "";
        return detail::answer(clearance_options_only(get(), texts.empty() ? &none : texts.data(), texts.size()));
    }
};

/* Two things that touch. */
struct Hit {
    std::string a, b;
    clearance_against against;
};

/* The distance of the nearest two things, with its gradient by the joints. */
struct RobotDistance {
    double lower, upper;
    std::string a, b;
    clearance_against against;
    Vector3 point_a, point_b, normal;
    /* By the joints, and by those of the other robot where there is one. */
    std::vector<double> gradient, gradient_b;
};

/* Two things that are near or overlap; the signed distance is negative by the depth. */
struct NearPair {
    std::string a, b;
    clearance_against against;
    double signed_distance, lower, upper;
    Vector3 point_a, point_b, normal;
    /* By the joints, and by those of the other robot where there is one. */
    std::vector<double> gradient, gradient_b;
    clearance_truth unique;
};

/* What becomes of a motion. */
struct Edge {
    clearance_verdict verdict;
    double clearance, t_lower, t_upper, gap, proven;
    std::string a, b;
    clearance_against against;
    bool is_free() const { return verdict == CLEARANCE_VERDICT_FREE; }
};

/* How near the robot comes to anything along a motion. */
struct EdgeClearance {
    double lower, upper, t;
    std::string a, b;
    clearance_against against;
};

/* A robot in its scene. Questions take a configuration; an empty one (`{}`) is the robot where it was placed last, by
 * another question that takes an empty one too, or by `place_links`. Batches, edges, splines and `is_free` place nothing. */
class Checker : public detail::Handle<clearance_checker, clearance_checker_free> {
public:
    using Configuration = Span<const double>;
    explicit Checker(clearance_checker *owned) : Handle(owned) {}
#if !defined(CLEARANCE_NO_EXCEPTIONS)
    explicit Checker(const Robot &robot) : Checker(make(robot)) {}
    Checker(const Robot &robot, const Options &options) : Checker(make(robot, &options)) {}
#endif
    static Answer<Checker> make(const Robot &robot, const Options *options = nullptr) {
        clearance_checker *made = nullptr;
        /* NULL stands for the defaults in C; options that were moved from are a mistake. */
        bool is_empty = options && !options->get();
        Status status = clearance_checker_new(is_empty ? nullptr : robot.get(), options ? options->get() : nullptr, &made);
        return detail::answer(status, [&] { return Checker(made); });
    }
    /* For another thread. */
    Answer<Checker> clone() const {
        clearance_checker *made = nullptr;
        Status status = clearance_checker_clone(get(), &made);
        return detail::answer(status, [&] { return Checker(made); });
    }
    Answer<void> set_options(const Options &options) {
        return detail::answer(clearance_checker_set_options(get(), options.get()));
    }
    Answer<Options> options() const {
        clearance_options *made = nullptr;
        Status status = clearance_checker_options(get(), &made);
        return detail::answer(status, [&] { return Options(made); });
    }
    Answer<void> set_base(const Pose &world_from_base) {
        return detail::answer(clearance_checker_set_base(get(), &world_from_base));
    }
    Answer<Pose> base() const {
        clearance_pose pose;
        Status status = clearance_checker_base(get(), &pose);
        return detail::answer(status, [&] { return Pose(pose); });
    }
    Answer<void> set_scene(const Scene &scene) {
        return detail::answer(clearance_checker_set_scene(get(), scene.get()));
    }
    Answer<Scene> scene() const {
        clearance_scene *made = nullptr;
        Status status = clearance_checker_scene(get(), &made);
        return detail::answer(status, [&] { return Scene(made); });
    }
    Answer<void> add(const std::string &name, const Geometry &geometry, const Pose &pose = {}) {
        return detail::answer(clearance_checker_add(get(), name.c_str(), geometry.get(), &pose));
    }
    Answer<void> replace(const std::string &name, const Geometry &geometry) {
        return detail::answer(clearance_checker_replace(get(), name.c_str(), geometry.get()));
    }
    Answer<void> move(const std::string &name, const Pose &pose) {
        return detail::answer(clearance_checker_move(get(), name.c_str(), &pose));
    }
    Answer<void> remove(const std::string &name) {
        return detail::answer(clearance_checker_remove(get(), name.c_str()));
    }
    Answer<void> attach(const std::string &name, const Geometry &geometry, const std::string &link,
                        const Pose &link_from_object = {}, const std::vector<std::string> &touch_links = {}) {
        auto texts = detail::pointers(touch_links);
        return detail::answer(clearance_checker_attach(get(), name.c_str(), geometry.get(), link.c_str(),
                                                       &link_from_object, texts.data(), texts.size()));
    }
    /* The geometry, and where it is in the world. */
    Answer<std::pair<Geometry, Pose>> detach(const std::string &name) {
        clearance_geometry *geometry = nullptr;
        clearance_pose pose;
        Status status = clearance_checker_detach(get(), name.c_str(), &geometry, &pose);
        return detail::answer(status, [&] { return std::make_pair(Geometry(geometry), Pose(pose)); });
    }
    Answer<void> place_links(Span<const Pose> world_from_links) {
        return detail::answer(clearance_checker_place_links(get(), world_from_links.data(), world_from_links.size()));
    }
    /* The poses of so many links; robots know how many there are. */
    Answer<std::vector<Pose>> link_poses(Configuration q, std::size_t link_count) {
        std::vector<Pose> poses(link_count);
        Status status = clearance_checker_link_poses(get(), q.data(), q.size(), poses.data(), link_count);
        return detail::answer(status, [&] { return std::move(poses); });
    }

    Answer<bool> collides(Configuration q) {
        bool hit = false;
        Status status = clearance_checker_collides(get(), q.data(), q.size(), &hit);
        return detail::answer(status, [&] { return hit; });
    }
    Answer<bool> is_free(Configuration q) {
        bool free = false;
        Status status = clearance_checker_is_free(get(), q.data(), q.size(), &free);
        return detail::answer(status, [&] { return free; });
    }
    Answer<std::optional<Hit>> collision(Configuration q, unsigned which = CLEARANCE_ALL) {
        bool colliding = false;
        clearance_hit hit{};
        Status status = clearance_checker_collision(get(), q.data(), q.size(), which, &colliding, &hit);
        return detail::answer(status, [&] { return colliding ? std::optional<Hit>(copy(hit)) : std::nullopt; });
    }
    Answer<std::vector<Hit>> collisions(Configuration q, unsigned which = CLEARANCE_ALL) {
        const clearance_hit *hits = nullptr;
        std::size_t count = 0;
        Status status = clearance_checker_collisions(get(), q.data(), q.size(), which, &hits, &count);
        return detail::answer(status, [&] {
            std::vector<Hit> found;
            for (std::size_t i = 0; i < count; i++) found.push_back(copy(hits[i]));
            return found;
        });
    }
    /* None where nothing is checked or near enough. */
    Answer<std::optional<RobotDistance>> distance(Configuration q, unsigned which = CLEARANCE_ALL,
                                                  const DistanceRequest &request = {}) {
        clearance_robot_distance distance{};
        bool found = false;
        Status status = clearance_checker_distance(get(), q.data(), q.size(), which, &request, &distance, &found);
        return detail::answer(status, [&] { return found ? std::optional(copy(distance)) : std::nullopt; });
    }
    Answer<std::vector<NearPair>> near(Configuration q, double max_distance, unsigned which = CLEARANCE_ALL) {
        const clearance_near_pair *pairs = nullptr;
        std::size_t count = 0;
        Status status = clearance_checker_near(get(), q.data(), q.size(), which, max_distance, &pairs, &count);
        return detail::answer(status, [&] { return copy(pairs, count); });
    }
    /* Where a ray of the world first meets the robot or the scene, and the name of what it meets. */
    Answer<std::optional<std::pair<std::string, RayHit>>> ray(Configuration q, const Ray &ray) {
        RayHit hit{};
        const char *name = nullptr;
        Status status = clearance_checker_ray(get(), q.data(), q.size(), &ray, &hit, &name);
        return detail::answer(status, [&] { return name ? std::optional(std::make_pair(std::string(name), hit)) : std::nullopt; });
    }

    /* This robot and another one, each in a configuration. */
    Answer<std::optional<Hit>> robot_collision(Configuration q, Checker &other, Configuration other_q) {
        bool colliding = false;
        clearance_hit hit{};
        Status status = clearance_checker_robot_collision(get(), q.data(), q.size(), other.get(), other_q.data(),
                                                          other_q.size(), &colliding, &hit);
        return detail::answer(status, [&] { return colliding ? std::optional<Hit>(copy(hit)) : std::nullopt; });
    }
    Answer<std::optional<RobotDistance>> robot_distance(Configuration q, Checker &other, Configuration other_q) {
        clearance_robot_distance distance{};
        bool found = false;
        Status status = clearance_checker_robot_distance(get(), q.data(), q.size(), other.get(), other_q.data(),
                                                         other_q.size(), &distance, &found);
        return detail::answer(status, [&] { return found ? std::optional(copy(distance)) : std::nullopt; });
    }
    Answer<std::vector<NearPair>> robot_near(Configuration q, Checker &other, Configuration other_q, double max_distance) {
        const clearance_near_pair *pairs = nullptr;
        std::size_t count = 0;
        Status status = clearance_checker_robot_near(get(), q.data(), q.size(), other.get(), other_q.data(),
                                                     other_q.size(), max_distance, &pairs, &count);
        return detail::answer(status, [&] { return copy(pairs, count); });
    }

    Answer<Edge> edge(Configuration from, Configuration to, double tolerance = 0, std::size_t max_evaluations = 0) {
        clearance_edge edge{};
        /* Two configurations of different lengths are no edge. */
        std::size_t dof = from.size() == to.size() ? from.size() : std::numeric_limits<std::size_t>::max();
        Status status = clearance_checker_edge(get(), from.data(), to.data(), dof, tolerance, max_evaluations, &edge);
        return detail::answer(status, [&] { return copy(edge); });
    }
    /* How near anything comes along a straight motion; none where nothing is checked. */
    Answer<std::optional<EdgeClearance>> edge_clearance(Configuration from, Configuration to, double rel_err = 0.01) {
        clearance_edge_clearance near{};
        bool found = false;
        std::size_t dof = from.size() == to.size() ? from.size() : std::numeric_limits<std::size_t>::max();
        Status status = clearance_checker_edge_clearance(get(), from.data(), to.data(), dof, rel_err, &near, &found);
        return detail::answer(status, [&]() -> std::optional<EdgeClearance> {
            if (!found) return std::nullopt;
            return EdgeClearance{near.lower, near.upper, near.t, detail::text(near.a), detail::text(near.b), near.against};
        });
    }
    /* The straight motions between waypoints, which are rows of `dof` numbers. */
    Answer<std::vector<Edge>> path(Span<const double> waypoints, std::size_t dof) {
        return edges(clearance_checker_path, waypoints, dof);
    }
    /* A smooth spline through waypoints, part by part. */
    Answer<std::vector<Edge>> spline(Span<const double> waypoints, std::size_t dof) {
        return edges(clearance_checker_spline, waypoints, dof);
    }
    Answer<bool> is_edge_free(Configuration from, Configuration to) {
        bool free = false;
        std::size_t dof = from.size() == to.size() ? from.size() : std::numeric_limits<std::size_t>::max();
        Status status = clearance_checker_is_edge_free(get(), from.data(), to.data(), dof, &free);
        return detail::answer(status, [&] { return free; });
    }
    /* Rows of `dof` numbers. */
    Answer<std::vector<bool>> are_free(Span<const double> rows, std::size_t dof, unsigned threads = 0) {
        std::size_t count = dof ? rows.size() / dof : 0;
        std::unique_ptr<bool[]> free(new bool[count + 1]());
        Status status = clearance_checker_are_free(get(), rows.data(), detail::rows(rows.size(), dof), dof, threads,
                                                   free.get());
        return detail::answer(status, [&] { return detail::bools(free, count); });
    }
    /* Certified intervals [lower, upper]. */
    Answer<std::vector<std::array<double, 2>>> distances(Span<const double> rows, std::size_t dof,
                                                         unsigned which = CLEARANCE_ALL, unsigned threads = 0,
                                                         const DistanceRequest &request = {}) {
        std::size_t count = dof ? rows.size() / dof : 0;
        std::vector<double> lower(count), upper(count);
        Status status = clearance_checker_distances(get(), rows.data(), detail::rows(rows.size(), dof), dof, which,
                                                    &request, threads, lower.data(), upper.data());
        return detail::answer(status, [&] {
            std::vector<std::array<double, 2>> found;
            for (std::size_t i = 0; i < count; i++) found.push_back({lower[i], upper[i]});
            return found;
        });
    }
    Answer<std::vector<bool>> are_edges_free(Span<const double> from, Span<const double> to, std::size_t dof,
                                             unsigned threads = 0) {
        std::size_t count = dof ? from.size() / dof : 0;
        std::unique_ptr<bool[]> free(new bool[count + 1]());
        std::size_t rows = from.size() == to.size() ? detail::rows(from.size(), dof) : std::numeric_limits<std::size_t>::max();
        Status status = clearance_checker_are_edges_free(get(), from.data(), to.data(), rows, dof, threads, free.get());
        return detail::answer(status, [&] { return detail::bools(free, count); });
    }
    Answer<void> prove(unsigned threads = 1, std::size_t evaluations = 0) {
        return detail::answer(clearance_checker_prove(get(), threads, evaluations));
    }
    Answer<void> save_proofs(const std::string &file) {
        return detail::answer(clearance_checker_save_proofs(get(), file.c_str()));
    }
    Answer<void> load_proofs(const std::string &file, std::size_t evaluations = 0) {
        return detail::answer(clearance_checker_load_proofs(get(), file.c_str(), evaluations));
    }
    Answer<void> prepare_for_planning(unsigned threads = 1, bool prove = true) {
        return detail::answer(clearance_checker_prepare_for_planning(get(), threads, prove));
    }
    Answer<void> save_planning(const std::string &file) {
        return detail::answer(clearance_checker_save_planning(get(), file.c_str()));
    }
    Answer<void> load_planning(const std::string &file) {
        return detail::answer(clearance_checker_load_planning(get(), file.c_str()));
    }
    /* What `prove` found about two links. */
    Answer<Gap> link_gap(const std::string &link_a, const std::string &link_b, std::size_t evaluations = 0) {
        Gap gap{};
        Status status = clearance_checker_link_gap(get(), link_a.c_str(), link_b.c_str(), evaluations, &gap);
        return detail::answer(status, [&] { return gap; });
    }
    /* Whether a link can ever touch an object of the scene. */
    Answer<Gap> can_touch(const std::string &link, const std::string &object, std::size_t evaluations = 0) {
        Gap gap{};
        Status status = clearance_checker_can_touch(get(), link.c_str(), object.c_str(), evaluations, &gap);
        return detail::answer(status, [&] { return gap; });
    }
    /* What a link, or the whole robot, never leaves within the joint limits. */
    Answer<Geometry> reach(const std::string &link = "") {
        clearance_geometry *made = nullptr;
        Status status = clearance_checker_reach(get(), detail::maybe(link), &made);
        return detail::answer(status, [&] { return Geometry(made); });
    }

private:
    static Vector3 array(const double (&v)[3]) { return {v[0], v[1], v[2]}; }
    static Hit copy(const clearance_hit &hit) { return {detail::text(hit.a), detail::text(hit.b), hit.against}; }
    static RobotDistance copy(const clearance_robot_distance &d) {
        return {d.lower, d.upper, detail::text(d.a), detail::text(d.b), d.against, array(d.point_a), array(d.point_b),
                array(d.normal), {d.gradient, d.gradient + d.gradient_count}, {d.gradient_b, d.gradient_b + d.gradient_b_count}};
    }
    static std::vector<NearPair> copy(const clearance_near_pair *pairs, std::size_t count) {
        std::vector<NearPair> found;
        for (std::size_t i = 0; i < count; i++) {
            const clearance_near_pair &p = pairs[i];
            found.push_back({detail::text(p.a), detail::text(p.b), p.against, p.signed_distance, p.lower, p.upper,
                             array(p.point_a), array(p.point_b), array(p.normal),
                             {p.gradient, p.gradient + p.gradient_count}, {p.gradient_b, p.gradient_b + p.gradient_b_count},
                             p.unique});
        }
        return found;
    }
    static Edge copy(const clearance_edge &edge) {
        return {edge.verdict, edge.clearance, edge.t_lower, edge.t_upper, edge.gap, edge.proven, detail::text(edge.a),
                detail::text(edge.b), edge.against};
    }
    Answer<std::vector<Edge>> edges(Status (*ask)(clearance_checker *, const double *, std::size_t, std::size_t,
                                                  clearance_edge *), Span<const double> waypoints, std::size_t dof) {
        std::size_t count = dof ? waypoints.size() / dof : 0;
        std::vector<clearance_edge> found(count ? count - 1 : 0);
        Status status = ask(get(), waypoints.data(), detail::rows(waypoints.size(), dof), dof, found.data());
        return detail::answer(status, [&] {
            std::vector<Edge> edges;
            for (const clearance_edge &edge : found) edges.push_back(copy(edge));
            return edges;
        });
    }
};

/* Many bodies that move. */
class World : public detail::Handle<clearance_world, clearance_world_free> {
public:
    using Body = std::uint64_t;
    explicit World(clearance_world *owned) : Handle(owned) {}
#if !defined(CLEARANCE_NO_EXCEPTIONS)
    explicit World(double margin = 0) : World(make(margin)) {}
#endif
    static Answer<World> make(double margin = 0) {
        clearance_world *made = nullptr;
        Status status = clearance_world_new(margin, &made);
        return detail::answer(status, [&] { return World(made); });
    }
    Answer<Body> add(const Geometry &geometry, const Pose &pose = {}) {
        Body body = 0;
        Status status = clearance_world_add(get(), geometry.get(), &pose, &body);
        return detail::answer(status, [&] { return body; });
    }
    Answer<void> move(Body body, const Pose &pose) { return detail::answer(clearance_world_move(get(), body, &pose)); }
    Answer<void> remove(Body body) { return detail::answer(clearance_world_remove(get(), body)); }
    Answer<void> exclude(Body a, Body b, bool excluded = true) {
        return detail::answer(clearance_world_exclude(get(), a, b, excluded));
    }
    /* Which groups a body belongs to, and which it meets, a bit for each. */
    Answer<void> set_groups(Body body, std::uint32_t member, std::uint32_t meets) {
        return detail::answer(clearance_world_set_groups(get(), body, member, meets));
    }
    Answer<Pose> pose(Body body) const {
        clearance_pose pose;
        Status status = clearance_world_pose(get(), body, &pose);
        return detail::answer(status, [&] { return Pose(pose); });
    }
    /* The nearest bodies up to a distance, nearest first; call `step` after the last change. */
    Answer<std::vector<clearance_neighbor>> nearest(Body body, double max_distance, std::size_t count = 1) {
        std::vector<clearance_neighbor> found(count);
        Status status = clearance_world_nearest(get(), body, max_distance, found.data(), count, &count);
        if (status == CLEARANCE_STATUS_OK) found.resize(count);
        return detail::answer(status, [&] { return std::move(found); });
    }
    Answer<void> step() { return detail::answer(clearance_world_step(get())); }
    Answer<std::vector<clearance_body_pair>> pairs(clearance_pairs which = CLEARANCE_PAIRS_ALL) {
        std::size_t count = 0;
        Status status = clearance_world_pairs(get(), which, nullptr, 0, &count);
        std::vector<clearance_body_pair> found(count);
        if (status == CLEARANCE_STATUS_OK && count)
            status = clearance_world_pairs(get(), which, found.data(), found.size(), &count);
        return detail::answer(status, [&] { return std::move(found); });
    }
    Answer<Distance> distance(Body a, Body b, const DistanceRequest &request = {}) {
        Distance found{};
        Status status = clearance_world_distance(get(), a, b, &request, &found);
        return detail::answer(status, [&] { return found; });
    }
};

#if defined(CLEARANCE_NO_EXCEPTIONS)
} // namespace statuses
#endif
} // namespace clearance

#endif
