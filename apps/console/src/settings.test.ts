import { expect, test } from "vitest";
import { toSettings } from "./settings.ts";

const read = {
	authUrl: "http://localhost:4000/",
	accountsUrl: "http://localhost:3000",
	subscriptionsUrl: "http://localhost:4001",
	posUrl: "http://localhost:4005",
	hospitalUrl: "",
};

test("addresses lose their last slash, and only services with an address are there", () => {
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
])("settings whose %s is no address are refused by its name", (name, change) => {
	expect(() => toSettings({ ...read, ...change })).toThrow(name);
});
