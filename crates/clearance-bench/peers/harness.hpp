// What the harnesses of peers have in common: a scene's file, its bodies, the clock, and the commands, which come on standard
// input and are answered with one line each:
//   load FILE             a scene: counts, vertices, indices, poses (see harness.rs)  -> ok
//   sweep METHOD QUERY    QUERY: distance | collide | penetration | build             -> microseconds a query (or a build)
//   answers METHOD QUERY  QUERY: distance | collide | penetration                     -> one number a pose
// What a METHOD is, and which of the queries there are, is the peer's. Times are CPU time of the thread, the least of three
// repeats, or of those that fit into 50 ms.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace harness {

template <typename T>
std::vector<T> read(std::istream& file, std::size_t count) {
  std::vector<T> values(count);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
  if (!file) throw std::runtime_error("the scene file is too short");
  return values;
}

inline std::ifstream open(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  return file;
}

// The words that are left: a path may have spaces.
inline std::string rest(std::istream& words) {
  std::string line;
  std::getline(words >> std::ws, line);
  return line;
}

inline double thread_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <typename Work>
double shortest_us(Work work) {
  double shortest = std::numeric_limits<double>::infinity();
  const auto start = std::chrono::steady_clock::now();
  // The first run finds the caches full of what others left there.
  for (int runs = 0; runs < 3 || std::chrono::steady_clock::now() - start < std::chrono::milliseconds(50); ++runs) {
    const double before = thread_seconds();
    work();
    shortest = std::min(shortest, thread_seconds() - before);
  }
  return 1e6 * shortest;
}

enum class Query { collide, distance, penetration };

inline Query query_called(const std::string& name) {
  if (name == "collide") return Query::collide;
  return name == "penetration" ? Query::penetration : Query::distance;
}

// Triangles in the peer's own types, so that a build does not have to convert them.
template <typename Peer>
struct Soup {
  std::vector<typename Peer::Vertex> vertices;
  std::vector<typename Peer::Triangle> triangles;
};

// Two bodies and the poses of the second in the first one's frame. A Peer has the types Vertex, Triangle, Pose and Model, and
//   Pose pose(rows)                     of the rows of a 3×4 matrix
//   Model build(soup, method)
//   double ask(models, pose, query)
template <typename Peer>
class Scene {
 public:
  using Models = std::pair<typename Peer::Model, typename Peer::Model>;

  void load(const std::string& path) {
    std::ifstream file = open(path);
    const auto counts = read<std::uint64_t>(file, 5);
    *this = Scene();
    a = read_soup(file, counts[0], counts[1]);
    b = read_soup(file, counts[2], counts[3]);
    const auto rows = read<double>(file, 12 * counts[4]);
    for (std::size_t i = 0; i < rows.size(); i += 12) poses.push_back(Peer::pose(&rows[i]));
  }

  double sweep(const std::string& method, const std::string& query) {
    if (query == "build") return shortest_us([&] { Peer::build(a, method); });
    const auto& bodies = models(method);
    const Query asked = query_called(query);
    volatile double sink = 0.0;
    const double us = shortest_us([&] {
      for (const auto& pose : poses) sink = sink + Peer::ask(bodies, pose, asked);
    });
    return us / static_cast<double>(poses.size());
  }

  void answers(const std::string& method, const std::string& query) {
    const auto& bodies = models(method);
    for (const auto& pose : poses) std::cout << Peer::ask(bodies, pose, query_called(query)) << ' ';
  }

 private:
  static Soup<Peer> read_soup(std::istream& file, std::size_t vertices, std::size_t triangles) {
    Soup<Peer> soup;
    const auto v = read<double>(file, 3 * vertices);
    for (std::size_t i = 0; i < v.size(); i += 3) soup.vertices.push_back({v[i], v[i + 1], v[i + 2]});
    const auto t = read<std::uint32_t>(file, 3 * triangles);
    for (std::size_t i = 0; i < t.size(); i += 3) soup.triangles.push_back({t[i], t[i + 1], t[i + 2]});
    return soup;
  }

  const Models& models(const std::string& method) {
    auto found = built.find(method);
    if (found == built.end()) {
      found = built.emplace(method, Models(Peer::build(a, method), Peer::build(b, method))).first;
    }
    return found->second;
  }

  Soup<Peer> a, b;
  std::vector<typename Peer::Pose> poses;
  std::map<std::string, Models> built;  // by method, made when first asked for
};

// What a command does with the words behind its name; it writes the answer, without the end of the line.
using Command = std::function<void(std::istream&)>;

// Answers the commands above and those of the peer's own, until standard input ends. What main is to return.
template <typename Peer>
int serve(const std::string& name, std::map<std::string, Command> commands = {}) {
  Scene<Peer> scene;
  commands["load"] = [&](std::istream& words) {
    scene.load(rest(words));
    std::cout << "ok";
  };
  commands["sweep"] = [&](std::istream& words) {
    std::string method, query;
    words >> method >> query;
    std::cout << scene.sweep(method, query);
  };
  commands["answers"] = [&](std::istream& words) {
    std::string method, query;
    words >> method >> query;
    scene.answers(method, query);
  };
  std::cout.precision(17);
  try {
    std::string line;
    while (std::getline(std::cin, line)) {
      std::istringstream words(line);
      std::string command;
      words >> command;
      const auto found = commands.find(command);
      if (found == commands.end()) throw std::runtime_error("no command is called " + command);
      found->second(words);
      std::cout << std::endl;
    }
  } catch (const std::exception& error) {
    std::cerr << name << " harness: " << error.what() << '\n';
    return 1;
  }
  return 0;
}

}  // namespace harness
