"""Guard sources as the user would write them."""

from __future__ import annotations

import pytest

from compilescope.logs.guards import parse_reason
from compilescope.logs.sources import read_source


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("L['x']", "x"),
        ("G['W']", "W"),
        ("self._modules['layers']._modules['0']._parameters['w']", "self.layers[0].w"),
        ("self._modules['a-b']._buffers['mask']", "self['a-b'].mask"),
        ("d['x'][0]", "d['x'][0]"),
        ("d[(1, 2)]", "d[(1, 2)]"),
        ("list(dict.keys(d))[1]", "list(d)[1]"),
        ("self.state[list(dict.keys(self.state))[0]]", "self.state[list(self.state)[0]]"),
        ("dict.__getitem__(d, list(dict.keys(d))[0])", "d[list(d)[0]]"),
        ("list.__getitem__(xs, 0)", "xs[0]"),
        ("object.__getattribute__(o, 'k')", "o.k"),
        ("getattr(o, 'a-b')", "o.a-b"),
        ("o.__dict__['k']", "o.k"),
        ("dict(type(o).__dict__)['k']", "type(o).k"),
        ("dict(type(o).__mro__[1].__dict__)['k']", "type(o).k"),
        ("g.__code__", "g"),
        ("g.__defaults__[0]", "g.__defaults__[0]"),
        ("___from_numpy(x)", "x"),
        ("___as_tensor(x)", "x"),
        ("___tuple_iterator_getitem(it, 0)", "it[0]"),
        ("G['ref']()", "ref"),
        ("G['__import_torch_dot_nn_dot_functional'].relu", "torch.nn.functional.relu"),
        ("G['__builtins_dict___0']['len']", "len"),
        ("__import__('torch').pi", "torch.pi"),
        ("G['os'].environ._data[b'FLAG']", "os.environ['FLAG']"),
        ("___stack0.last_hidden_state", "___stack0.last_hidden_state"),
        ("d[<M.A: 1>]", "d[M.A]"),
        ("L['.0']", ".0"),
        ("x[", "x["),
    ],
)
def test_a_source_is_written_for_people(expression, text):
    assert read_source(expression).text == text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("n == 2", "const.int"),
        ("o.n == 2", "attr.object"),
        ("xs[2] == 3", "const.int_in_container"),
        ("r.stop == 3", "container.range"),
        ("G['S'] == 2", "global"),
        ("G['cfg'].n == 2", "global"),
        ("G['m']._modules['d'].p == 0.5", "module.float_attr"),
        ("self._modules['a'].training == True", "module.training"),
        ("self.x == 2  # c  # a.py:3 in step", "attr.object"),
        ("self.x == 2  # c  # a.py:3 in forward", "module.int_attr"),
        ("self.x == 2  # c  # a.py:3 in torch_dynamo_resume_in_forward_at_3", "module.int_attr"),
        ("self.cfg.x == 0.5  # c  # a.py:3 in forward", "attr.object"),
        ("layer.x == 0.5  # return y * self.x  # a.py:3 in forward", "module.float_attr"),
        ("self.param_groups[0]['lr'] == 0.1", "optimizer"),
        ("len(self.state[list(dict.keys(self.state))[0]]) != 0", "optimizer"),
        ("g.__closure__[0].cell_contents == 2", "closure"),
        ("g.__kwdefaults__['a'] == 2", "attr.defaults"),
        ("p.keywords['k'] == 2", "attr.partial"),
        ("dict(type(o).__dict__)['k'] == 2", "attr.class"),
        ("G['os'].environ._data[b'F'] == b'1'", "attr.environ"),
        ("p.grad is None", "tensor.grad"),
        ("m._parameters['bias'] is None", "module.param_none"),
        ("dict.__getitem__(o, 'k') == 1", "const.int_in_container"),
        ("___check_obj_id(g.__code__, 14), type=<class 'code'>", "id.function_code"),
        ("___check_obj_id(G['act'], 14), type=<class 'function'>", "global.function"),
        ("___check_obj_id(self.act, 14), type=<class 'function'>", "id.attr"),
        ("___check_obj_id(d.default_factory, 14), type=<class 'int'>", "container.defaultdict"),
        ("___check_obj_id(m, 14), type=<class 'module'>", "id.module"),
        (
            "___check_obj_id(m, 14), type=<class 'a.M'>  # x if m is M.A else y  # a.py:3 in f",
            "const.enum",
        ),
        ("___check_obj_id(m, 14), type=<class 'a.M'>", "id.object"),
        ("tensor 'G['W']' size mismatch at index 0. expected 3, actual 1", "global.tensor"),
        ("tensor '___from_numpy(x)' rank mismatch. expected 1, actual 2", "tensor.numpy"),
        ("not ___dict_contains('k', o.__dict__)", "attr.not_present"),
        ("___dict_contains('b', self._buffers)", "module.missing"),
        ("not self._modules['a']._forward_hooks", "module.hooks"),
        ("len(self._modules['ls']._modules) != 1", "module.children"),
    ],
)
def test_the_source_decides_between_kinds(text, kind):
    assert parse_reason(text).kind == kind
