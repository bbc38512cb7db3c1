/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a case to its end: order SPECIFICATION sqlite:FILE */
#include <err.h>
#include <stdio.h>
#include <weft/engine.h>

#define MUST(call) ((call) == WF_OK ? (void)0 : errx(1, "%s", error.message))

int main(int argc, char **argv)
{
	struct wf_request request = { .command = { WF_COMMAND_LAUNCH } };
	struct wf_item_filter first = { .limit = 1 };
	struct wf_arena *arena = wf_arena_new();
	struct wf_error error = { .rc = WF_OK };
	struct wf_engine_settings settings;
	struct wf_item_list items;
	struct wf_engine *engine;
	struct wf_answer order;
	struct wf_store *store;

	wf_engine_settings_init(&settings);
	settings.url = argc == 3 ? argv[2] : "";
	MUST(wf_engine_open(&engine, &settings, &error));
	MUST(wf_engine_load_file(engine, 0, argv[1], NULL,
	    &request.launch.specification, 1, NULL, &error));
	MUST(wf_engine_call(engine, &request, &order, &error));
	MUST(wf_engine_borrow(engine, &store, &error));
	request.number = first.number = order.number;
	request.command.kind = WF_COMMAND_FINISH;
	while (order.status == WF_CASE_RUNNING) {
		MUST(wf_store_items(store, &first, arena, &items, &error));
		request.command.item = items.count > 0 ? items.rows[0].id : "";
		MUST(wf_engine_call(engine, &request, &order, &error));
		printf("%s is done\n", request.command.item);
	}
	wf_engine_give_back(engine, store);
	wf_engine_close(&engine);
	wf_arena_free(&arena);
	return order.status == WF_CASE_COMPLETED ? 0 : 1;
}
