import { expect, test } from "vitest";
import type { AuditRow } from "./audit-row.ts";
import { toFile } from "./export-file.ts";

const row: AuditRow = {
	id: "1",
	source: "auth",
	at: "2026-03-02T08:00:00.000Z",
	action: "outlet.changed",
	actorId: "4f2a",
	actorName: '=HYPERLINK("x")',
	isNamedBySignOn: true,
	subject: "West, Block",
	before: null,
	after: { name: "West" },
	ip: "10.0.0.1",
	requestId: null,
};

test("a CSV has a head and a line for each entry, and no text that a spreadsheet takes for a formula", async () => {
	expect(await toFile([row, { ...row, actorName: "-1", after: null }], "csv").text()).toBe(
		[
			"at,source,action,actor_id,actor,subject,before,after,ip,request_id,since,requests",
			'2026-03-02T08:00:00.000Z,auth,outlet.changed,4f2a,"\'=HYPERLINK(""x"")","West, Block",,"{""name"":""West""}",10.0.0.1,,,',
			'2026-03-02T08:00:00.000Z,auth,outlet.changed,4f2a,\'-1,"West, Block",,,10.0.0.1,,,',
			"",
		].join("\r\n"),
	);
});

test("NDJSON has an object for each entry", async () => {
	const lines = (await toFile([row, row], "ndjson").text()).trimEnd().split("\n");
	expect(lines.map((line) => JSON.parse(line))).toEqual(
		Array(2).fill({
			at: row.at,
			source: "auth",
			action: "outlet.changed",
			actor_id: "4f2a",
			actor: row.actorName,
			subject: "West, Block",
			before: null,
			after: { name: "West" },
			ip: "10.0.0.1",
			request_id: null,
			since: null,
			requests: null,
		}),
	);
});

test("a visit of the platform owner has its first request and their number in both formats", async () => {
	const visit = { ...row, after: null, visit: { requests: 3, since: "2026-03-02T07:31:00.000Z" } };
	expect(await toFile([visit], "csv").text()).toMatch(/,2026-03-02T07:31:00\.000Z,3\r\n$/);
	expect(JSON.parse(await toFile([visit], "ndjson").text())).toMatchObject(visit.visit);
});
