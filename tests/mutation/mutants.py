"""Small faults: what can be wrong in a module, one change of its syntax tree each.

Left alone are strings (messages, docstrings), annotations, imports, assertions (which
are there for the type checker) and `__all__`.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from types import CodeType

BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
# The edge moved, and the opposite.
COMPARE: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}
TWINS = {
    name: other
    for pair in [("min", "max"), ("minimum", "maximum"), ("argmin", "argmax")]
    for name, other in [pair, pair[::-1]]
}
TYPE_ONLY = (ast.Import, ast.ImportFrom, ast.Assert, ast.JoinedStr)

Change = Callable[[ast.AST], ast.AST]  # of a node that may be changed in place


@dataclass(frozen=True)
class Mutant:
    """One fault: the place of a node in the walk of its module, and what becomes of it.

    function is the qualified name of the function that holds it, "" for a line that
    runs when the module is loaded.
    """

    line: int
    function: str
    before: str
    after: str
    node: int
    choice: int


def mutants_of(source: str) -> list[Mutant]:
    """All faults of a module, in the order of its syntax tree."""
    tree = ast.parse(source)
    found = []
    for place in _places(tree):
        for choice, change in enumerate(_changes(place)):
            before = ast.unparse(place.node)
            after = ast.unparse(change(deepcopy(place.node)))
            if before != after:
                line = getattr(place.node, "lineno", 0)
                mutant = Mutant(
                    line, place.function, before, after, place.number, choice
                )
                found.append(mutant)
    return found


def compiled(source: str, mutant: Mutant, name: str) -> CodeType:
    """The code of a module with this fault; lines keep their numbers."""
    return compile(mutated(source, mutant), name, "exec", dont_inherit=True)


def mutated(source: str, mutant: Mutant) -> ast.Module:
    """The syntax tree of a module with this fault."""
    tree = ast.parse(source)
    for place in _places(tree):
        if place.number == mutant.node:
            node = _changes(place)[mutant.choice](deepcopy(place.node))
            ast.copy_location(node, place.node)
            place.put(node)
            return ast.fix_missing_locations(tree)
    message = f"no node {mutant.node} in this source"
    raise ValueError(message)


def sample(
    modules: dict[str, list[Mutant]], count: int, seed: int
) -> list[tuple[str, Mutant]]:
    """About count mutants: of each module its share, by chance, and at least four.

    A larger count only adds mutants to those of a smaller one.
    """
    total = sum(map(len, modules.values()))
    chosen = []
    for name, mutants in sorted(modules.items()):
        share = max(4, -(-count * len(mutants) // max(total, 1)))
        order = random.Random(f"{seed} {name}").sample(mutants, len(mutants))
        kept = sorted(order[:share], key=lambda m: (m.line, m.node, m.choice))
        chosen += [(name, mutant) for mutant in kept]
    return chosen


@dataclass(frozen=True)
class _Place:
    """A node, its number in the walk, and how to put another one in its place."""

    node: ast.AST
    number: int
    function: str
    rebound: frozenset[str]  # names that the function binds more than once
    put: Callable[[ast.AST], None]


def _places(tree: ast.Module) -> list[_Place]:
    return [
        _Place(node, number, function, rebound, put)
        for number, (node, function, rebound, put) in enumerate(
            _walk(tree, "", frozenset())
        )
    ]


Step = tuple[ast.AST, str, frozenset[str], Callable[[ast.AST], None]]


def _walk(parent: ast.AST, function: str, rebound: frozenset[str]) -> Iterator[Step]:
    for field, value in ast.iter_fields(parent):
        if field in ("annotation", "returns", "decorator_list", "type_comment"):
            continue
        for at, node in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(node, ast.AST) or _is_left_alone(parent, node):
                continue
            is_list = isinstance(value, list)

            def put(
                new: ast.AST,
                field: str = field,
                at: int | None = at if is_list else None,
            ) -> None:
                if at is None:
                    setattr(parent, field, new)
                else:
                    getattr(parent, field)[at] = new

            yield node, function, rebound, put
            is_function = isinstance(node, ast.FunctionDef)
            if is_function or isinstance(node, ast.ClassDef):
                yield from _walk_definition(node, function, rebound)
            else:
                yield from _walk(node, function, rebound)


def _walk_definition(
    node: ast.AST, function: str, rebound: frozenset[str]
) -> Iterator[Step]:
    """The defaults of a function belong to where it is defined."""
    if isinstance(node, ast.ClassDef):
        yield from _walk(node, f"{node.name}.", rebound)
    elif isinstance(node, ast.FunctionDef):
        yield from _walk(node.args, function, rebound)
        inside = f"{function}.<locals>." if function[-1:] not in ("", ".") else function
        bare = ast.Module(body=node.body, type_ignores=[])
        yield from _walk(bare, inside + node.name, _rebound(node))


def _rebound(function: ast.FunctionDef) -> frozenset[str]:
    bound = [a.arg for a in [*function.args.args, *function.args.kwonlyargs]]
    bound += [
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return frozenset(name for name in bound if bound.count(name) > 1)


def _is_left_alone(parent: ast.AST, node: ast.AST) -> bool:
    if isinstance(node, TYPE_ONLY):
        return True
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {target.id for target in targets if isinstance(target, ast.Name)}
        is_type = any(name[:1].isupper() and not name.isupper() for name in names)
        return is_type or bool(names & {"message", "what", "__all__", "__slots__"})
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return True
    # The types of isinstance, and strings by themselves: they are docstrings.
    if isinstance(parent, ast.Call) and ast.unparse(parent.func) == "isinstance":
        return node is not parent.args[0]
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _changes(place: _Place) -> list[Change]:
    """What may become of a node."""
    node = place.node
    if isinstance(node, ast.stmt):
        return _changes_of_statement(node, place.rebound)
    if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        return [_with("op", BINARY[type(node.op)]())]
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return [_with("ops", [other()]) for other in COMPARE[type(node.ops[0])]]
    if isinstance(node, ast.BoolOp):
        return [_with("op", ast.Or() if isinstance(node.op, ast.And) else ast.And())]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        return [lambda new: new.operand]
    if isinstance(node, ast.Name) and node.id in TWINS:
        return [_with("id", TWINS[node.id])]
    if isinstance(node, ast.Attribute) and node.attr in TWINS:
        return [_with("attr", TWINS[node.attr])]
    if isinstance(node, ast.IfExp):
        return [_negated("test")]
    if isinstance(node, ast.Constant):
        return [_with("value", other) for other in _other_values(node.value)]
    return []


def _changes_of_statement(node: ast.stmt, rebound: frozenset[str]) -> list[Change]:
    removed: Change = lambda new: ast.Pass()  # noqa: E731
    if isinstance(node, ast.AugAssign):
        if type(node.op) in BINARY:
            return [_with("op", BINARY[type(node.op)]()), removed]
        return [removed]
    if isinstance(node, ast.Expr | ast.Raise):
        return [removed]
    if isinstance(node, ast.Assign):
        targets = [
            part
            for target in node.targets
            for part in (target.elts if isinstance(target, ast.Tuple) else [target])
        ]
        names = [part.id for part in targets if isinstance(part, ast.Name)]
        # Without a name's only value the function could not run at all.
        return [removed] if rebound.issuperset(names) else []
    if isinstance(node, ast.If | ast.While):
        is_bare = not isinstance(node.test, ast.Compare | ast.UnaryOp | ast.Constant)
        return [_negated("test")] if is_bare else []
    if isinstance(node, ast.Break):
        return [lambda new: ast.Continue()]
    if isinstance(node, ast.Continue):
        return [lambda new: ast.Break(), removed]
    if isinstance(node, ast.Return) and node.value is not None:
        is_constant = isinstance(node.value, ast.Constant)
        return [] if is_constant else [_with("value", ast.Constant(None))]
    return []


def _other_values(value: object) -> list[object]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    return [value + 1.0] if isinstance(value, float) else []


def _with(field: str, value: object) -> Change:
    def change(new: ast.AST) -> ast.AST:
        setattr(new, field, value)
        return new

    return change


def _negated(field: str) -> Change:
    def change(new: ast.AST) -> ast.AST:
        setattr(new, field, ast.UnaryOp(ast.Not(), getattr(new, field)))
        return new

    return change
