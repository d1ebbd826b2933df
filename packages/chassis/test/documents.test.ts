import { FailureBody } from "@lango/contracts";
import { setUp } from "@lango/testkit/set-up";
import Type from "typebox";
import { beforeAll, expect, test } from "vitest";
import { apiKey, open, type Route, route, signedIn } from "../src/index.ts";
import { openShop } from "./shop.ts";

// the reference of a service says of each route what it may refuse, by what the route declares

const Thing = Type.Object({ id: Type.String() });
const handler = async () => ({ id: "1" });
const routes = (): readonly Route[] => [
	route({
		method: "GET",
		url: "/everything",
		access: open("anybody may look"),
		schema: { response: { 200: Thing } },
		handler,
	}),
	route({
		method: "GET",
		url: "/things/:id",
		access: signedIn(),
		schema: {
			params: Thing,
			response: { 200: Thing, 404: Type.Object({ gone: Type.Boolean() }) },
		},
		handler,
	}),
	route({
		method: "POST",
		url: "/things",
		access: apiKey("tenants.read"),
		schema: { body: Thing, response: { 201: Thing } },
		handler,
	}),
	route({
		method: "POST",
		url: "/grant",
		access: open("it proves itself in the body"),
		failures: "oauth",
		schema: { body: Thing, response: { 200: Thing } },
		handler,
	}),
];

type Answers = Record<string, { description: string; content: { "application/json": { schema: object } } }>;
const shop = setUp(() => openShop({ routes: [routes], isRateLimited: true }));
let paths: Record<string, Record<string, { responses: Answers }>>;
beforeAll(async () => {
	paths = (await shop.built.app.inject("/openapi.json")).json().paths;
});

const answersOf = (method: string, path: string) => paths[path]?.[method]?.responses ?? {};

test.each([
	["get", "/everything", ["200", "429", "503"]],
	["get", "/things/{id}", ["200", "400", "401", "403", "404", "429", "503"]],
	["post", "/things", ["201", "400", "401", "403", "429", "503"]],
	["post", "/grant", ["200", "400", "429", "503"]],
])("%s %s is described with every refusal it can give", (method, path, statuses) => {
	expect(Object.keys(answersOf(method, path)).sort()).toEqual(statuses);
});

test("an error is documented in its format, also in that of RFC 6749", () => {
	const required = (path: string) =>
		answersOf("post", path)["400"]?.content["application/json"].schema as { required: string[] };
	expect(required("/things").required).toEqual(FailureBody.required);
	expect(required("/grant").required).toEqual(["error", "error_description", "request_id"]);
	expect(answersOf("post", "/things")["401"]?.description).toContain("credential");
});

test("responses that a route declares itself are not changed", async () => {
	const gone = answersOf("get", "/things/{id}")["404"]?.content["application/json"].schema;
	expect(gone).toMatchObject({ properties: { gone: { type: "boolean" } } });
	const refused = await shop.built.app.inject({ method: "POST", url: "/grant", payload: {} });
	expect([refused.statusCode, Object.keys(refused.json())]).toEqual([
		400,
		expect.arrayContaining(["error", "error_description", "request_id"]),
	]);
});

test("a service without a rate limit documents no 429", async () => {
	const quiet = await openShop({ routes: [routes] });
	const document = (await quiet.built.app.inject("/openapi.json")).json();
	expect(document.paths["/everything"].get.responses).not.toHaveProperty("429");
	await quiet.close();
});
