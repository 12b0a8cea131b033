// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/frame_filter.h"

#include "snapshot/frame_text.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace plimsoll {
namespace {

struct Mark
{
    std::string_view text;
    std::uint8_t groups;
};

constexpr auto kMemoryViz = static_cast<std::uint8_t>(FrameGroup::MemoryViz);
constexpr auto kAllocator = static_cast<std::uint8_t>(FrameGroup::Allocator);
constexpr auto kAutograd = static_cast<std::uint8_t>(FrameGroup::Autograd);
constexpr auto kDispatcher = static_cast<std::uint8_t>(FrameGroup::Dispatcher);
constexpr auto kInterpreter = static_cast<std::uint8_t>(FrameGroup::Interpreter);

// Parts of a function's name.
constexpr std::array kNameMarks{
    Mark{"unwind::unwind", kMemoryViz | kAllocator},
    Mark{"CapturedTraceback::gather", kMemoryViz | kAllocator},
    Mark{"gather_with_cpp", kMemoryViz | kAllocator},
    Mark{"_start", kMemoryViz},
    Mark{"__libc_start_main", kMemoryViz | kInterpreter},
    Mark{"PyEval_", kMemoryViz | kInterpreter},
    Mark{"PyObject_", kMemoryViz | kInterpreter},
    Mark{"PyFunction_", kMemoryViz | kInterpreter},
    Mark{"CachingAllocator", kAllocator},
    Mark{"StorageImpl", kAllocator},
    Mark{"c10::TensorImpl::", kAllocator},
    Mark{"at::detail::empty_", kAllocator},
    Mark{"at::detail::_empty_", kAllocator},
    Mark{"at::native::empty_cuda", kAllocator},
    Mark{"at::native::empty_strided_cuda", kAllocator},
    Mark{"torch::autograd::Engine", kAutograd},
    Mark{"torch::autograd::python::PythonEngine", kAutograd},
    Mark{"torch::autograd::Node::operator()", kAutograd},
    Mark{"torch::autograd::VariableType", kAutograd},
    Mark{"torch::autograd::AccumulateGrad", kAutograd},
    Mark{"THPEngine", kAutograd},
    Mark{"at::_ops::", kDispatcher},
    Mark{"at::redispatch::", kDispatcher},
    Mark{"wrap_kernel_functor_unboxed", kDispatcher},
    Mark{"make_boxed_from_unboxed_functor", kDispatcher},
    Mark{"c10::impl::", kDispatcher},
    Mark{"c10::Dispatcher", kDispatcher},
    Mark{"c10::OperatorHandle::", kDispatcher},
    Mark{"c10::KernelFunction", kDispatcher},
    Mark{"Py_RunMain", kInterpreter},
    Mark{"Py_BytesMain", kInterpreter},
    Mark{"PyRun_", kInterpreter},
    Mark{"PyVectorcall_", kInterpreter},
    Mark{"cfunction_call", kInterpreter},
    Mark{"method_vectorcall", kInterpreter},
    Mark{"slot_tp_call", kInterpreter},
    Mark{"pthread_", kInterpreter},
};

// Parts of a file's name.
constexpr std::array kFileMarks{
    Mark{"core/boxing", kMemoryViz | kDispatcher},
    Mark{"/Register", kMemoryViz | kDispatcher},
    Mark{"/Redispatch", kMemoryViz | kDispatcher},
    Mark{"pythonrun.c", kMemoryViz | kInterpreter},
    Mark{"Modules/main.c", kMemoryViz | kInterpreter},
    Mark{"Objects/call.c", kMemoryViz | kInterpreter},
    Mark{"Objects/methodobject.c", kMemoryViz | kInterpreter},
    Mark{"pycore_ceval.h", kMemoryViz | kInterpreter},
    Mark{"ceval.c", kMemoryViz | kInterpreter},
    Mark{"cpython/abstract.h", kMemoryViz | kInterpreter},
    Mark{"CUDACachingAllocator", kAllocator},
    Mark{"memory_snapshot.cpp", kAllocator},
    Mark{"TensorImpl.cpp", kAllocator},
    Mark{"EmptyTensor.cpp", kAllocator},
    Mark{"python_engine.cpp", kAutograd},
    Mark{"autograd/engine.cpp", kAutograd},
    Mark{"torch/autograd/graph.py", kAutograd},
    Mark{"torch/autograd/__init__.py", kAutograd},
    Mark{"core/dispatch", kDispatcher},
};

bool isPython(std::string_view file) noexcept
{
    return file.ends_with(".py") || file.starts_with('<');
}

std::string unitText(const MemorySnapshot &snapshot, const StackFrame &frame, FrameUnit unit)
{
    const auto file = snapshot.texts[frame.file];
    switch (unit) {
    case FrameUnit::Line: break; // each frame is one
    case FrameUnit::Function: {
        std::string text(snapshot.texts[frame.name]);
        if (text.empty())
            text = "??";
        // C++ names say where they belong; Python's "forward" is everywhere.
        if (isPython(file))
            text += " in " + moduleOf(file);
        return text;
    }
    case FrameUnit::File: return file.empty() ? "??" : std::string(file);
    case FrameUnit::Module: return moduleOf(file);
    }
    return {};
}

} // namespace

std::uint8_t frameGroups(std::string_view file, std::string_view name) noexcept
{
    unsigned groups = 0;
    for (const auto &mark : kNameMarks)
        if (name.find(mark.text) != std::string_view::npos)
            groups |= mark.groups;
    for (const auto &mark : kFileMarks)
        if (file.find(mark.text) != std::string_view::npos)
            groups |= mark.groups;
    return static_cast<std::uint8_t>(groups);
}

FilteredFrames applyFilter(const MemorySnapshot &snapshot, const FrameFilter &filter)
{
    const auto count = snapshot.stacks.frameCount();
    FilteredFrames filtered;
    filtered.unitOf.resize(count);
    std::vector<std::string> hiddenTexts;
    for (const auto &text : filter.hiddenTexts)
        if (!text.empty())
            hiddenTexts.push_back(lowerCase(text));
    std::unordered_map<std::string, std::uint32_t> units;
    std::string text;
    for (FrameId id = 0; id < count; ++id) {
        const auto &frame = snapshot.stacks.frame(id);
        bool isHidden = filter.hidden != 0
            && (frameGroups(snapshot.texts[frame.file], snapshot.texts[frame.name]) & filter.hidden) != 0;
        if (!isHidden && !hiddenTexts.empty()) {
            text = lowerCase(frameText(snapshot, id));
            isHidden = std::any_of(hiddenTexts.begin(), hiddenTexts.end(), [&](const auto &t) { return text.find(t) != std::string::npos; });
        }
        if (isHidden) {
            filtered.unitOf[id] = FilteredFrames::kHidden;
        } else if (filter.unit == FrameUnit::Line) {
            filtered.unitOf[id] = id;
        } else {
            const auto [at, isNew] = units.try_emplace(unitText(snapshot, frame, filter.unit), static_cast<std::uint32_t>(units.size()));
            if (isNew) {
                filtered.example.push_back(id);
                filtered.names.push_back(at->first);
            }
            filtered.unitOf[id] = at->second;
        }
    }
    return filtered;
}

std::string frameText(const StackTable &stacks, const TextTable &texts, FrameId id)
{
    const auto &frame = stacks.frame(id);
    std::string text(texts[frame.file]);
    text += ':';
    text += std::to_string(frame.line);
    text += ' ';
    text += texts[frame.name];
    return text;
}

std::string moduleOf(std::string_view file)
{
    if (file.empty() || file == "??")
        return "??";
    std::string path(file);
    std::replace(path.begin(), path.end(), '\\', '/');
    if (!path.ends_with(".py"))
        return path.substr(path.rfind('/') + 1);
    path.resize(path.size() - 3);
    for (const std::string_view root : {"site-packages/", "dist-packages/"}) {
        if (const auto at = path.rfind(root); at != std::string::npos) {
            path.erase(0, at + root.size());
            if (path.ends_with("/__init__"))
                path.resize(path.size() - 9);
            std::replace(path.begin(), path.end(), '/', '.');
            return path;
        }
    }
    if (const auto at = path.rfind("/lib/python3"); at != std::string::npos) { // the standard library
        if (const auto slash = path.find('/', at + 12); slash != std::string::npos) {
            path.erase(0, slash + 1);
            std::replace(path.begin(), path.end(), '/', '.');
            return path;
        }
    }
    return path.substr(path.rfind('/') + 1); // a program's own file
}

} // namespace plimsoll
