import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineService, defineSettings, explainFolder, secret } from "@lango/chassis";
import { afterEach, describe, expect, test } from "vitest";
import { bringUp } from "./bring-up.ts";
import { onceDatabaseAnswers } from "./databases.ts";

const folder = mkdtempSync(join(tmpdir(), "lango-up-"));
const stops: Array<() => Promise<void>> = [];
afterEach(async () => {
	for (const stop of stops.splice(0)) await stop();
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder);
});

const stopping = {
	signal: new AbortController().signal,
	onStop: (stop: () => Promise<void>) => void stops.push(stop),
	stopAll: async () => [],
};
const shop = defineService({
	name: "shop",
	title: "Shop",
	settings: defineSettings("SHOP", { signingSecret: secret({ because: "signs receipts" }) }),
	migrations: [],
	failures: [],
	corsHeaders: [],
	dependencies: async () => ({}),
	pipeline: () => [],
	routes: [],
});
const up = (given: Record<string, string>) =>
	bringUp(
		{ sandboxes: [], services: [{ service: shop }], pages: [], secrets: {}, people: [], password: "" },
		{ given: { NODE_ENV: "development", ...given }, isFresh: false, stopping, say: () => undefined },
	).then(
		() => expect.fail("it came up"),
		({ message }: Error) => message,
	);

describe("a failed start explains what to do", () => {
	test("if the folder is not writable", async () => {
		writeFileSync(join(folder, "file"), "");
		expect(await up({ LANGO_HOME: join(folder, "file/home") })).toMatch(
			/^Lango cannot write to \S+: a part of the path is a file \(ENOTDIR\)\. Make the folder writable, or set LANGO_HOME to another one\.$/,
		);
	});

	test.each([
		["EACCES", "this user has no right to"],
		["EROFS", "the file system is read-only"],
		["ENOSPC", "the disk is full"],
	])("where writing fails with %s", (code, reason) => {
		const fault = explainFolder(Object.assign(new Error("x"), { code }), {
			folder: "/a",
			setting: "LANGO_HOME",
		});
		expect(String(fault)).toContain(`Lango cannot write to /a: ${reason} (${code}).`);
	});

	test("if a secret is missing", async () => {
		expect(await up({ LANGO_HOME: folder })).toMatch(
			/^shop: the settings are not usable:\n {2}SHOP_SIGNING_SECRET is missing: signs receipts\nSet or correct them in the environment or in \.env/,
		);
	});

	test("if DATABASE_URL is not an address", async () => {
		const settings = {
			LANGO_HOME: folder,
			SHOP_SIGNING_SECRET: "x",
			SHOP_PORT: "0",
			DATABASE_URL: "nowhere",
		};
		expect(await up(settings)).toMatch(/^npm start: DATABASE_URL is not an address\. Set it to postgres:/);
	});
});

test("while the database does not respond, one message says so", async () => {
	const said: string[] = [];
	let tries = 0;
	const work = async () => {
		tries += 1;
		if (tries < 3) throw new Error("Connection terminated due to connection timeout");
		return "done";
	};
	expect(await onceDatabaseAnswers(work, { say: (line) => void said.push(line) })).toBe("done");
	expect(said).toEqual([
		"The database does not answer yet (Connection terminated due to connection timeout). Waiting up to two minutes …",
	]);
});
