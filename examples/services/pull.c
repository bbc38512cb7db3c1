/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders are priced and shipped: comes to Weft for items.
 * cc -o pull pull.c $(pkg-config --cflags --libs libcurl jansson)
 * usage: WEFT_SERVER=http://127.0.0.1:8090 WEFT_TOKEN=... ./pull
 */
#include <curl/curl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t take(char *bytes, size_t size, size_t count, void *context)
{
	return fwrite(bytes, size, count, context);
}

/* Sends JSON, whose reference is taken; the answer, or NULL. */
static json_t *ask(CURL *curl, const char *path, json_t *json)
{
	char *body = json_dumps(json, 0);
	char url[2000], *answer = NULL;
	size_t length;
	FILE *file = open_memstream(&answer, &length);
	json_t *result = NULL;

	snprintf(url, sizeof(url), "%s%s", getenv("WEFT_SERVER"), path);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, getenv("WEFT_TOKEN"));
	curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, file);
	if (curl_easy_perform(curl) == CURLE_OK && fclose(file) == 0)
		result = json_loads(answer, 0, NULL);
	free(answer);
	free(body);
	json_decref(json);
	return result;
}

static json_t *work(const char *task, json_t *data)
{
	if (strcmp(task, "Price") == 0)
		return json_pack("{s:I}", "total",
		    3 * json_integer_value(json_object_get(data, "amount")));
	return json_pack("{s:s+}", "parcel", "parcel with ",
	    json_string_value(json_object_get(data, "item")));
}

int main(void)
{
	CURL *curl = curl_easy_init();
	json_t *got, *item, *data;
	const char *id, *task;
	char path[2000];
	json_int_t fence;
	size_t i;

	while ((got = ask(curl, "/v1/items:claim",
		    json_pack("{s:s, s:s, s:i}", "service",
			"urn:example:orders", "wait", "PT20S", "count", 10)))) {
		json_array_foreach(json_object_get(got, "items"), i, item)
		{
			json_unpack(item, "{s:s, s:s, s:I, s:o}", "item", &id,
			    "task", &task, "fence", &fence, "data", &data);
			snprintf(path, sizeof(path),
			    "/v1/items/%s/complete?fence=%lld", id,
			    (long long)fence);
			json_decref(ask(curl, path, work(task, data)));
		}
		json_decref(got);
	}
	return 1;
}
