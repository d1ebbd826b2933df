import { callMatrix, routesOfDocument } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CallOptions, openWard, type Ward } from "./ward.ts";

let ward: Ward;
beforeAll(async () => {
	ward = await openWard();
});
afterAll(() => ward.close());

/** A kind of caller: with which credential, and at whose address. */
type Caller = { name: string; tenant: string; token?: string; headers?: Record<string, string> };

/** A request that a route would answer if only the caller may: what is sent where a body is needed. */
const bodies: Readonly<Record<string, unknown>> = {
	"PUT /api/v1/:tenant/hospital/config": { key: "theme", value: "dark" },
};

const callers = (): readonly Caller[] => [
	{ name: "no token", tenant: "uhai" },
	{ name: "viewer", tenant: "uhai", token: ward.token(ward.uhai, "member") },
	{ name: "operator", tenant: "uhai", token: ward.token(ward.uhai, "staff") },
	{ name: "admin", tenant: "uhai", token: ward.token(ward.uhai, "admin") },
	{ name: "other's", tenant: "uhai", token: ward.token(ward.kahawa, "admin") },
	{ name: "superuser", tenant: "uhai", token: ward.token(ward.lango, "superuser") },
	{ name: "expired", tenant: "duka", token: ward.token(ward.duka, "admin") },
	{
		name: "pending",
		tenant: "uhai",
		token: ward.token(ward.uhai, "member", { user_status: "pending", roles: [] }),
	},
];

/** Every route of the service with a rule, found by asking the program itself. */
const routes = () => routesOfDocument(ward.app.swagger(), "/api/");
const request = ({ method, url }: { method: string; url: string }, tenant: string): CallOptions => {
	const body = bodies[`${method} ${url}`];
	return {
		method: method as NonNullable<CallOptions["method"]>,
		url: url.replace(":tenant", tenant).replace(":id", "1"),
		...(body !== undefined && { body }),
	};
};

test("every route answers every kind of caller as the reviewed policy in access.txt says", async () => {
	const key = await ward.key(ward.uhai, ["hospital.config.view", "hospital.config.manage"]);
	const withKey: Caller = { name: "API key", tenant: "uhai", headers: { "x-api-key": key } };
	const matrix = await callMatrix({
		callers: [...callers(), withKey],
		routes: routes(),
		call: async (route, { tenant, token, headers = {} }) =>
			(await ward.call({ ...request(route, tenant), token, headers })).status,
	});
	await expect(matrix).toMatchFileSnapshot("access.txt");
});

test("every route with a tenant answers 404 to the administrator of another, by slug and by id", async () => {
	const token = ward.token(ward.uhai, "admin");
	const withTenant = routes().filter(({ url }) => url.includes(":tenant"));
	const answers = await Promise.all(
		withTenant.flatMap((route) =>
			[ward.kahawa.slug, ward.kahawa.id].map((tenant) => ward.call({ ...request(route, tenant), token })),
		),
	);
	expect(answers.length).toBeGreaterThan(5);
	expect(new Set(answers.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
		new Set(["404 tenant_not_found"]),
	);
});
