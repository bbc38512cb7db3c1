# SPDX-License-Identifier: Apache-2.0
# "make install" installs none of them: pip and npm do.
EXTRA_DIST += \
	%D%/README.md \
	%D%/javascript/package.json \
	%D%/javascript/testing.d.mts \
	%D%/javascript/testing.mjs \
	%D%/javascript/weft.d.mts \
	%D%/javascript/weft.mjs \
	%D%/python/pyproject.toml \
	%D%/python/weft/__init__.py \
	%D%/python/weft/client.py \
	%D%/python/weft/errors.py \
	%D%/python/weft/py.typed \
	%D%/python/weft/testing.py \
	%D%/python/weft/transport.py \
	%D%/python/weft/values.py \
	%D%/python/weft/worker.py
