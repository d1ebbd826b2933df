import { expect, test } from "vitest";
import { toSettings } from "./settings.ts";

const read = {
	authUrl: "http://localhost:4000/",
	accountsUrl: "http://localhost:3000",
	subscriptionsUrl: "http://localhost:4001",
	posUrl: "http://localhost:4005",
	hospitalUrl: "",
};

test("the last slash of an address is removed, and services without an address are omitted", () => {
	expect(toSettings(read)).toEqual({
		authUrl: "http://localhost:4000",
		accountsUrl: "http://localhost:3000",
		subscriptionsUrl: "http://localhost:4001",
		services: { pos: "http://localhost:4005" },
		language: undefined,
	});
});

test.each([
	["authUrl", { authUrl: undefined }],
	["subscriptionsUrl", { subscriptionsUrl: "nowhere" }],
	["posUrl", { posUrl: "nowhere" }],
])("an invalid %s is refused, and the error names it", (name, change) => {
	expect(() => toSettings({ ...read, ...change })).toThrow(name);
});
