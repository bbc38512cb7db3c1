#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Orders are priced and shipped: comes to Weft for items, one after the other.
# usage: WEFT_SERVER=http://127.0.0.1:8090 WEFT_TOKEN=... ./pull.sh
set -u

ask() {
	curl -s -H "Authorization: Bearer $WEFT_TOKEN" -d "$2" "$WEFT_SERVER$1"
}

# The value of a member, which stands once in the text.
member() {
	sed -n 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/p'
}

while got=$(ask /v1/items:claim \
	'{"service": "urn:example:orders", "wait": "PT20S"}'); do
	item=${got#*'"item":"'}
	[ "$item" != "$got" ] || continue
	item=${item%%'"'*}
	data=${got##*'"data":'}
	case $(echo "$got" | member task) in
	Price) output="{\"total\": $((3 * $(echo "$data" | member amount)))}" ;;
	*) output="{\"parcel\": \"parcel with $(echo "$data" | member item)\"}" ;;
	esac
	ask "/v1/items/$item/complete?fence=$(echo "$got" | member fence)" \
		"$output"
done
