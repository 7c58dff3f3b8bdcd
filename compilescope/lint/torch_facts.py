"""What Dynamo cannot trace. Written by tests/benchmarks/torch_facts.py: do not edit."""

from __future__ import annotations

RELEASES = (
    (2, 11),
    (2, 12),
    (2, 13),
    (2, 14),
    (2, 15),
)


def _by_versions(*groups: tuple[str, str]) -> dict[str, str]:
    return {name: versions for versions, text in groups for name in text.split()}


# "" holds for all of them, and is taken to hold for those before.
DYNAMIC_OUTPUT: dict[str, str] = _by_versions(  # operators: the size of the output is data
    (
        "",
        """
        _ctc_loss _unique2 argwhere bincount index linalg_lstsq masked_select nonzero one_hot
        repeat_interleave unique_consecutive unique_dim unique_dim_consecutive
    """,
    ),
    (
        ">=2.13",
        """
        _unique
    """,
    ),
)

DATA_OUTPUT: dict[str, str] = _by_versions(  # operators: the output is a number or a truth value
    (
        "",
        """
        _local_scalar_dense allclose equal item
    """,
    ),
)

SKIPPED: dict[str, str] = _by_versions(  # functions that are not traced
    (
        "",
        """
        torch.autograd.backward torch.cuda.get_rng_state torch.cuda.set_device
        torch.cuda.set_rng_state torch.distributions.constraints.is_dependent
        torch.get_rng_state torch.jit.isinstance torch.manual_seed
        torch.nn.utils.rnn.pack_padded_sequence torch.resize_as_ torch.resize_as_sparse_
        torch.set_rng_state torch.to_dlpack torch.xpu.get_rng_state torch.xpu.set_rng_state
    """,
    ),
    (
        "<2.12",
        """
        torch.default_generator.get_state torch.default_generator.set_state
    """,
    ),
    (
        ">=2.12",
        """
        torch.distributed.destroy_process_group
    """,
    ),
    (
        ">=2.13",
        """
        torch.cuda.manual_seed torch.cuda.manual_seed_all torch.cuda.random.manual_seed
        torch.cuda.random.manual_seed_all torch.nn.utils.rnn.pad_packed_sequence
    """,
    ),
    (
        ">=2.14",
        """
        torch.xpu.manual_seed torch.xpu.manual_seed_all torch.xpu.random.manual_seed
        torch.xpu.random.manual_seed_all
    """,
    ),
    (
        ">=2.15",
        """
        torch.accelerator.set_device_idx
    """,
    ),
)

SKIPPED_MODULES: dict[str, str] = _by_versions(  # modules whose functions are not traced
    (
        "",
        """
        abc copy fx2trt_oss hypothesis linecache networkx numpy onnx onnx_tf onnxruntime pandas
        random sklearn tabulate tensorflow tensorrt torch2trt tqdm tree tvm xarray
    """,
    ),
    (
        ">=2.13",
        """
        importlib re
    """,
    ),
)

BREAKS: dict[str, str] = _by_versions(  # graph breaks that are registered
    (
        "",
        """
        GB0000 GB0001 GB0002 GB0003 GB0004 GB0005 GB0006 GB0007 GB0008 GB0009 GB0010 GB0011
        GB0012 GB0013 GB0014 GB0015 GB0016 GB0017 GB0018 GB0019 GB0020 GB0021 GB0022 GB0023
        GB0024 GB0025 GB0026 GB0027 GB0028 GB0029 GB0030 GB0031 GB0032 GB0033 GB0034 GB0035
        GB0036 GB0037 GB0038 GB0039 GB0040 GB0041 GB0042 GB0043 GB0044 GB0045 GB0046 GB0047
        GB0048 GB0049 GB0050 GB0051 GB0052 GB0053 GB0054 GB0055 GB0056 GB0057 GB0058 GB0059
        GB0061 GB0062 GB0063 GB0064 GB0065 GB0066 GB0067 GB0068 GB0069 GB0070 GB0071 GB0072
        GB0073 GB0074 GB0075 GB0076 GB0077 GB0078 GB0079 GB0080 GB0081 GB0082 GB0083 GB0084
        GB0085 GB0086 GB0087 GB0088 GB0089 GB0090 GB0091 GB0092 GB0093 GB0094 GB0095 GB0096
        GB0097 GB0098 GB0099 GB0100 GB0101 GB0102 GB0103 GB0104 GB0105 GB0106 GB0107 GB0108
        GB0109 GB0110 GB0111 GB0112 GB0113 GB0114 GB0115 GB0116 GB0117 GB0118 GB0119 GB0120
        GB0121 GB0122 GB0123 GB0124 GB0125 GB0126 GB0127 GB0128 GB0129 GB0130 GB0131 GB0132
        GB0133 GB0134 GB0135 GB0136 GB0137 GB0138 GB0139 GB0140 GB0141 GB0142 GB0143 GB0144
        GB0145 GB0146 GB0147 GB0148 GB0149 GB0150 GB0151 GB0152 GB0153 GB0154 GB0155 GB0156
        GB0157 GB0158 GB0159 GB0160 GB0161 GB0162 GB0163 GB0164 GB0165 GB0166 GB0167 GB0168
        GB0169 GB0170 GB0171 GB0172 GB0173 GB0174 GB0175 GB0176 GB0177 GB0178 GB0179 GB0180
        GB0181 GB0182 GB0183 GB0184 GB0185 GB0186 GB0187 GB0188 GB0189 GB0190 GB0191 GB0192
        GB0193 GB0194 GB0195 GB0196 GB0197 GB0198 GB0199 GB0200 GB0201 GB0202 GB0203 GB0204
        GB0205 GB0206 GB0207 GB0208 GB0209 GB0210 GB0211 GB0212 GB0213 GB0214 GB0215 GB0216
        GB0217 GB0218 GB0219 GB0220 GB0221 GB0222 GB0223 GB0224 GB0225 GB0226 GB0227 GB0228
        GB0229 GB0230 GB0231 GB0232 GB0233 GB0234 GB0235 GB0236 GB0237 GB0238 GB0239 GB0240
        GB0241 GB0242 GB0243 GB0244 GB0245 GB0246 GB0247 GB0248 GB0249 GB0250 GB0251 GB0252
        GB0253 GB0254 GB0255 GB0256 GB0257 GB0258 GB0259 GB0260 GB0261 GB0262 GB0263 GB0264
        GB0265 GB0266 GB0267 GB0268 GB0269 GB0270 GB0271 GB0272 GB0273 GB0274 GB0275 GB0276
        GB0277 GB0278 GB0279 GB0280 GB0281 GB0282 GB0283 GB0284 GB0285 GB0286 GB0287 GB0288
        GB0289 GB0290 GB0291 GB0292 GB0293 GB0294 GB0295 GB0296 GB0297 GB0298 GB0299 GB0300
        GB0301 GB0302 GB0303 GB0304 GB0305 GB0306 GB0307 GB0308 GB0309 GB0310 GB0311 GB0312
        GB0313 GB0314 GB0315 GB0316 GB0317 GB0318 GB0319 GB0320 GB0321 GB0322 GB0323 GB0324
        GB0325 GB0326 GB0327 GB0328 GB0329 GB0330 GB0331 GB0332 GB0333 GB0334 GB0335 GB0336
        GB0337 GB0338 GB0339 GB0340 GB0341 GB0342 GB0343 GB0344 GB0345 GB0346 GB0347 GB0348
        GB0349 GB0350 GB0351 GB0352 GB0353 GB0354 GB0355 GB0356 GB0357 GB0358 GB0359 GB0360
        GB0361 GB0362 GB0363 GB0364 GB0365 GB0366 GB0367 GB0368 GB0369 GB0370 GB0371 GB0372
        GB0373 GB0374 GB0442 GB1042 GB1177 GB1297 GB1381 GB1501 GB1739 GB2078 GB2533 GB2549
        GB2669 GB2922 GB3326 GB3840 GB4026 GB4197 GB4271 GB4297 GB4315 GB4636 GB4778 GB4927
        GB5696 GB5748 GB6017 GB6210 GB6276 GB6663 GB6735 GB7000 GB7054 GB7312 GB7425 GB7596
        GB7685 GB8335 GB8656 GB8843 GB9186 GB9198 GB9528 GB9567 GB9625 GB9672 GB9741 GB9898
    """,
    ),
    (
        "<2.14",
        """
        GB0060
    """,
    ),
    (
        ">=2.12",
        """
        GB1140 GB1380 GB1750 GB2520 GB2696 GB2977 GB3343 GB3383 GB3775 GB4198 GB4240 GB4501
        GB4695 GB4841 GB4880 GB5195 GB5458 GB6012 GB6025 GB6270 GB6604 GB6999 GB7230 GB7286
        GB7299 GB7324 GB7650 GB7906 GB8435 GB8887 GB8985 GB9277 GB9300 GB9860
    """,
    ),
    (
        ">=2.13",
        """
        GB0459 GB0467 GB0569 GB0682 GB0755 GB0781 GB0808 GB0811 GB0871 GB1220 GB1275 GB1319
        GB1584 GB1724 GB1752 GB2019 GB2404 GB2464 GB2483 GB2544 GB2852 GB2861 GB3006 GB3241
        GB3697 GB3934 GB4347 GB4372 GB4393 GB4411 GB4413 GB4608 GB4749 GB5173 GB5380 GB5565
        GB5849 GB5904 GB5976 GB6053 GB6215 GB6297 GB6622 GB6890 GB7444 GB7489 GB7502 GB7510
        GB7637 GB7786 GB7968 GB8315 GB8977 GB9137 GB9158 GB9316 GB9458 GB9522 GB9548 GB9561
        GB9648 GB9840
    """,
    ),
    (
        ">=2.14",
        """
        GB0375 GB0376 GB0377 GB0998 GB1075 GB1273 GB1576 GB1824 GB2069 GB2412 GB2444 GB2473
        GB2736 GB3069 GB4234 GB4307 GB4399 GB4774 GB4818 GB4996 GB5017 GB5282 GB5491 GB5687
        GB5884 GB6066 GB6183 GB6441 GB6815 GB7020 GB7072 GB7151 GB7694 GB7905 GB8165 GB8206
        GB8587 GB8593 GB8949 GB9192 GB9203 GB9493 GB9509 GB9760 GB9899
    """,
    ),
    (
        ">=2.15",
        """
        GB0507 GB1157 GB1350 GB1354 GB1392 GB1472 GB1583 GB1618 GB1940 GB2582 GB2710 GB3003
        GB3780 GB3837 GB5210 GB5460 GB5821 GB6404 GB6602 GB6956 GB7168 GB7935 GB8982 GB9118
        GB9182 GB9193 GB9211 GB9352 GB9368 GB9890 GB9958
    """,
    ),
)
