# SPDX-License-Identifier: Apache-2.0
# What the page is made of; build-aux/console.sh makes it, for rest/.
EXTRA_DIST += \
	%D%/README.md \
	%D%/build.mjs \
	%D%/dev.mjs \
	%D%/eslint.config.js \
	%D%/package-lock.json \
	%D%/package.json \
	%D%/src \
	%D%/tests \
	%D%/tsconfig.json
