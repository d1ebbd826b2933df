import type { ServiceAuditEntry, TenantAuditEntry } from "@lango/contracts";
import { expect, test } from "vitest";
import { listChanges, peopleIn, toRow } from "./audit-row.ts";

const fromSignOn = (entry: TenantAuditEntry) =>
	toRow({ source: "auth", kind: "tenant", at: entry.at, entry }, new Map());
const ofHospital = (entry: ServiceAuditEntry) =>
	({ source: "hospital", kind: "service", at: entry.at, entry }) as const;
const fromService = (entry: ServiceAuditEntry, names: ReadonlyMap<string, string>) =>
	toRow(ofHospital(entry), names);

const id = "4f2a1c3e-0b7d-4a55-9c1e-7d0f6b2a9e11";
const entry = {
	id: "1",
	at: "2026-03-02T08:00:00Z",
	tenant_id: id,
	action: "outlet.opened",
	actor_user_id: id,
	actor_name: "Asha",
	subject: id,
	subject_name: "West",
	before: null,
	after: { name: "West" },
	ip: "10.0.0.1",
	request_id: "r-1",
};

test("the subject of a sign-on entry is the current name of its id", () => {
	expect(fromSignOn(entry)).toMatchObject({ actorName: "Asha", subject: "West", requestId: "r-1" });
});

test("a bare id is not shown as a subject; any other subject is unchanged", () => {
	expect(fromSignOn({ ...entry, subject_name: null }).subject).toBeNull();
	expect(fromSignOn({ ...entry, subject_name: null, subject: "GET /api" }).subject).toBe("GET /api");
	expect(fromSignOn({ ...entry, subject_name: null, subject: null }).subject).toBeNull();
});

test("a visit is about the organisation, not about a route", () => {
	const pass = { ...entry, subject: "GET /api", subject_name: null };
	const visit = { requests: 3, since: "2026-03-02T07:31:00Z" };
	expect(
		toRow({ source: "auth", kind: "tenant", at: entry.at, entry: pass, visit }, new Map()),
	).toMatchObject({ subject: null, visit });
});

const ofService = {
	id: "1",
	tenant_id: id,
	at: "2026-03-02T08:00:00Z",
	action: "role.assigned",
	actor_kind: "user",
	actor_id: id,
	subject: id,
	detail: { role: "hospital_admin" } as unknown,
	request_id: null,
	address: null,
};

test("the users of a service entry are named by their id", () => {
	const row = fromService(ofService, new Map([[id, "Asha"]]));
	expect(row).toMatchObject({ actorName: "Asha", subject: "Asha", after: { role: "hospital_admin" } });
	expect(fromService(ofService, new Map())).toMatchObject({ actorId: id, actorName: null, subject: null });
});

test("the users of an entry are its actor and its subject, not programs and codes", () => {
	const other = "7c0e1d2f-0b7d-4a55-9c1e-7d0f6b2a9e11";
	expect(peopleIn(ofHospital({ ...ofService, subject: other }))).toEqual([id, other]);
	expect(
		peopleIn(ofHospital({ ...ofService, actor_kind: "key", actor_id: "key-1", subject: "porter" })),
	).toEqual([]);
});

test("a program is named by its key, and the system has no actor", () => {
	const names = new Map<string, string>();
	const program = fromService({ ...ofService, actor_kind: "key", actor_id: "key-1" }, names);
	expect(program).toMatchObject({ actorId: "key-1", actorName: "key-1" });
	expect(fromService({ ...ofService, actor_kind: "system" }, names).actorId).toBeNull();
});

test("a detail of before and after is a change", () => {
	const detail = { before: { value: 1 }, after: { value: 2 } };
	expect(fromService({ ...ofService, detail }, new Map())).toMatchObject(detail);
});

test.each([
	[{ a: 1, b: 2, version: 1 }, { a: 1, b: 3, version: 2 }, [{ key: "b", before: "2", after: "3" }]],
	[null, { roles: ["a", "b"] }, [{ key: "roles", before: undefined, after: "a, b" }]],
	[{ on: true }, null, [{ key: "on", before: "true", after: undefined }]],
	[{ s: { x: 1 } }, { s: { x: 2 } }, [{ key: "s.x", before: "1", after: "2" }]],
	[{ s: { x: null, y: 1 } }, { s: null }, [{ key: "s.y", before: "1", after: undefined }]],
	[{ s: { x: { y: 1 } } }, {}, [{ key: "s.x", before: '{"y":1}', after: undefined }]],
	[null, null, []],
	["text", [1], []],
	[{ a: null, b: [], c: "", d: {} }, {}, []],
	[null, { id: "4f2a", name: "West" }, [{ key: "name", before: undefined, after: "West" }]],
])("the changes from %j to %j are %j", (before, after, changes) => {
	expect(listChanges(before, after)).toEqual(changes);
});
