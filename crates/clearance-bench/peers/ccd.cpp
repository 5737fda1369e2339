// libccd's two searches between convex bodies, by the commands of harness.hpp. METHOD is mpr or gjk, QUERY collide or
// penetration: version 2.1 has no distances.
#include "harness.hpp"

#include <ccd/ccd.h>

#include <array>

namespace {

using harness::Query;

struct Method {
  decltype(&ccdMPRIntersect) intersect;
  decltype(&ccdMPRPenetration) penetration;
};

struct Ccd {
  using Vertex = ccd_vec3_t;
  using Triangle = std::array<std::uint32_t, 3>;
  struct Pose {
    ccd_vec3_t rows[3];
    ccd_vec3_t translation;
  };
  struct Model {
    std::vector<ccd_vec3_t> corners;
    ccd_vec3_t center;
    Method method;
  };

  static Pose pose(const double* rows);
  static Model build(const harness::Soup<Ccd>& soup, const std::string& method);
  static double ask(const std::pair<Model, Model>& bodies, const Pose& pose, Query query);
};

// What libccd's callbacks are handed.
struct Placed {
  const Ccd::Model& body;
  const Ccd::Pose& pose;
};

Ccd::Pose Ccd::pose(const double* rows) {
  Pose pose;
  for (int r = 0; r < 3; ++r, rows += 4) {
    pose.rows[r] = {rows[0], rows[1], rows[2]};
    pose.translation.v[r] = rows[3];
  }
  return pose;
}

ccd_vec3_t moved(const Ccd::Pose& pose, const ccd_vec3_t& point) {
  ccd_vec3_t moved = pose.translation;
  for (int r = 0; r < 3; ++r) moved.v[r] += ccdVec3Dot(&pose.rows[r], &point);
  return moved;
}

// The farthest corner, looked for among all of them.
void support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* farthest) {
  const Placed& placed = *static_cast<const Placed*>(object);
  ccd_vec3_t turned = {0.0, 0.0, 0.0};
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) turned.v[c] += placed.pose.rows[r].v[c] * direction->v[r];
  }
  const ccd_vec3_t* best = nullptr;
  double height = -std::numeric_limits<double>::infinity();
  for (const ccd_vec3_t& corner : placed.body.corners) {
    const double at = ccdVec3Dot(&turned, &corner);
    if (at > height) {
      height = at;
      best = &corner;
    }
  }
  // A direction that is no number has no farthest corner; libccd may ask for it.
  *farthest = moved(placed.pose, best ? *best : placed.body.corners.front());
}

void center(const void* object, ccd_vec3_t* center) {
  const Placed& placed = *static_cast<const Placed*>(object);
  *center = moved(placed.pose, placed.body.center);
}

Ccd::Model Ccd::build(const harness::Soup<Ccd>& soup, const std::string& method) {
  Model model{soup.vertices, {0.0, 0.0, 0.0}, {}};
  for (const ccd_vec3_t& corner : model.corners) ccdVec3Add(&model.center, &corner);
  ccdVec3Scale(&model.center, 1.0 / static_cast<double>(model.corners.size()));
  if (method == "mpr") {
    model.method = {ccdMPRIntersect, ccdMPRPenetration};
  } else if (method == "gjk") {
    model.method = {ccdGJKIntersect, ccdGJKPenetration};
  } else {
    throw std::runtime_error("no method is called " + method);
  }
  return model;
}

const ccd_t settings = [] {
  ccd_t settings;
  CCD_INIT(&settings);
  settings.support1 = settings.support2 = support;
  settings.center1 = settings.center2 = center;
  // Without a limit the search may go round for ever.
  settings.max_iterations = 500;
  // As fine as coal's.
  settings.epa_tolerance = settings.mpr_tolerance = settings.dist_tolerance = 1e-6;
  return settings;
}();

const Ccd::Pose identity = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};

double Ccd::ask(const std::pair<Model, Model>& bodies, const Pose& pose, Query query) {
  const Placed a{bodies.first, identity}, b{bodies.second, pose};
  const Method& method = bodies.first.method;
  if (query == Query::collide) return method.intersect(&a, &b, &settings) ? 1.0 : 0.0;
  if (query == Query::distance) throw std::runtime_error("libccd has no distances");
  double depth = 0.0;
  ccd_vec3_t direction, position;
  const int found = method.penetration(&a, &b, &settings, &depth, &direction, &position);
  return found == 0 ? depth : 0.0;
}

}  // namespace

int main() { return harness::serve<Ccd>("libccd"); }
