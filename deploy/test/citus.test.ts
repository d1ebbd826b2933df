import { expect, test } from "vitest";
import { parse } from "yaml";
import { requiredSettings } from "../citus/cluster.store.ts";
import { read } from "./files.ts";

test("every node of deploy/citus/compose.yaml has the settings without which it is refused", () => {
	const { services } = parse(read("deploy/citus/compose.yaml"), { merge: true }) as {
		services: Record<string, { command: string[] }>;
	};
	expect(Object.keys(services)).toEqual(["coordinator", "worker-1", "worker-2"]);
	for (const { command } of Object.values(services)) {
		const given = new Map(command.map((word) => word.split("=") as [string, string]));
		for (const [name, value] of Object.entries(requiredSettings)) expect(given.get(name)).toBe(value);
		expect(given.get("max_prepared_transactions")).toBe(given.get("max_connections"));
	}
});
