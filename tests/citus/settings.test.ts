import { databaseUrls, withAdmin } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { bringUp } from "../../deploy/citus/bring-up.ts";
import { auth } from "../../services/auth/src/service.ts";
import { buildProcess } from "../../services/auth/test/sign-on.ts";
import { createClusterDatabase, nodes } from "./cluster.ts";

/** The same address for sessions with another value of a setting. */
function withSetting(url: string, setting: string): string {
	const changed = new URL(url);
	changed.searchParams.set("options", `-c ${setting}`);
	return changed.toString();
}

const database = setUp(
	() => createClusterDatabase(auth, 1),
	(created) => created.drop(),
);

test("the service refuses to start if its sessions do not pass the tenant on to the workers", async () => {
	const url = withSetting(database.url, "citus.propagate_set_commands=none");
	const starting = buildProcess(url, { environment: { LOG_LEVEL: "silent" } });
	await expect(starting).rejects.toThrow("citus.propagate_set_commands = 'local'");
});

test("a node without a setting is refused by the setting's name", async () => {
	const { coordinatorUrl, workerUrls } = nodes(1);
	const lacking = workerUrls.map((url) => withSetting(url, "citus.enable_unsafe_triggers=off"));
	const urls = databaseUrls(coordinatorUrl, "lango_citus_lacking");
	const bringing = bringUp({ coordinatorUrl, workerUrls: lacking }, { ...auth, urls });
	await expect(bringing).rejects.toThrow("citus.enable_unsafe_triggers must be on, not off");
	for (const node of [coordinatorUrl, ...workerUrls])
		await withAdmin(node, (admin) => admin.query("drop database lango_citus_lacking with (force)"));
});

test("a service without a plan is refused", async () => {
	const urls = databaseUrls(nodes(1).coordinatorUrl, "unplanned");
	const bringing = bringUp(nodes(1), { name: "unplanned", migrations: [], urls });
	await expect(bringing).rejects.toThrow("unplanned has no plan in deploy/citus/plans.ts");
});
