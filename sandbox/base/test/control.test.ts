import { join } from "node:path";
import { expect, test } from "vitest";
import {
	buildSandboxApp,
	createClock,
	createFaults,
	createIds,
	guardControl,
	installClock,
	installDocs,
	installFaults,
	installPage,
	runProgram,
} from "../src/index.ts";

function build(isOpen = false) {
	const app = buildSandboxApp();
	const clock = createClock();
	guardControl(app, { prefix: "/_control", isOpen });
	installClock(app, "/_control/clock", clock);
	const words = { operations: ["push"], faults: ["drop"] };
	installFaults(app, "/_control/faults", { faults: createFaults(createIds("seed")), words });
	const put = async (url: string, payload: object) => {
		const answer = await app.inject({ method: "PUT", url, payload });
		return [answer.statusCode, answer.json()];
	};
	return { app, clock, put };
}

test("the clock is set, moved and released", async () => {
	const { put, clock } = build();
	expect(await put("/_control/clock", { now: "2026-11-24T08:00:00Z" })).toEqual([
		200,
		{ now: "2026-11-24T08:00:00.000Z" },
	]);
	expect(await put("/_control/clock", { advance_seconds: 90 })).toEqual([
		200,
		{ now: "2026-11-24T08:01:30.000Z" },
	]);
	await put("/_control/clock", { now: null });
	expect(clock.isSet()).toBe(false);
});

test.each([
	["/_control/clock", { now: "yesterday" }, "time_invalid"],
	["/_control/clock", {}, "FST_ERR_VALIDATION"],
	["/_control/faults", [{ fault: "explode" }], "FST_ERR_VALIDATION"],
	["/_control/faults", [{ fault: "drop", operation: "sing" }], "FST_ERR_VALIDATION"],
])("%s refuses %j", async (url, body, error) => {
	expect(await build().put(url, body)).toMatchObject([400, { error }]);
});

test("the rules of faults are replaced and read", async () => {
	const { app, put } = build();
	const rules = [{ operation: "push", fault: "drop", count: 1, probability: 0.5 }];
	expect(await put("/_control/faults", rules)).toEqual([200, { items: rules }]);
	expect((await app.inject("/_control/faults")).json()).toEqual({ items: rules });
});

test("control routes refuse other machines unless they are open, and pages of other sites", async () => {
	const ask = async (
		isOpen: boolean,
		rest: { remoteAddress?: string; url?: string; headers?: Record<string, string> },
	) => (await build(isOpen).app.inject({ url: "/_control/clock", ...rest })).statusCode;
	expect(await ask(false, { remoteAddress: "10.0.0.7" })).toBe(403);
	expect(await ask(true, { remoteAddress: "10.0.0.7" })).toBe(200);
	expect(await ask(false, { remoteAddress: "::ffff:127.0.0.1" })).toBe(200);
	expect(await ask(true, { headers: { "sec-fetch-site": "cross-site" } })).toBe(403);
	expect(await ask(false, { remoteAddress: "10.0.0.7", url: "/%5Fcontrol/clock" })).toBe(403);
	expect(await ask(false, { headers: { "sec-fetch-site": "same-origin" } })).toBe(200);
});

test("a sandbox does not start in production", async () => {
	let isStarted = false;
	const start = async () => {
		isStarted = true;
		return { banner: "", stop: async () => {} };
	};
	try {
		await runProgram({ name: "The sandbox", env: { NODE_ENV: "production" }, start });
		expect([isStarted, process.exitCode]).toEqual([false, 1]);
	} finally {
		process.exitCode = undefined;
	}
});

test("the reference lists the routes, as a page and as OpenAPI", async () => {
	const app = buildSandboxApp();
	await installDocs(app, { title: "A <sandbox>", description: "For tests." });
	const body = { type: "object", properties: { amount: { type: "integer" } } };
	app.post("/pay", { schema: { summary: "Pays & confirms.", body } }, () => ({}));
	const page = await app.inject("/docs");
	expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
	expect(page.body).toContain("<h1>A &lt;sandbox&gt;</h1>");
	expect(page.body).toContain('<h2>POST /pay</h2><p>Pays &amp; confirms.</p><pre tabindex="0">{');
	expect((await app.inject("/openapi.json")).json()).toMatchObject({
		info: { title: "A <sandbox>" },
		paths: { "/pay": { post: { summary: "Pays & confirms." } } },
	});
});

test("the files of a page are served at the root, with those that all sandboxes use", async () => {
	const app = buildSandboxApp();
	installPage(app, join(import.meta.dirname, "page"));
	const [page, theme, script] = await Promise.all(
		["/", "/theme.css", "/element.js"].map((url) => app.inject(url)),
	);
	expect([page?.headers["content-type"], page?.body]).toEqual([
		"text/html; charset=utf-8",
		expect.stringContaining("A page of a test"),
	]);
	expect(page?.headers["content-security-policy"]).toContain("default-src 'none'");
	expect([theme?.headers["content-type"], script?.headers["content-type"]]).toEqual([
		"text/css; charset=utf-8",
		"text/javascript; charset=utf-8",
	]);
});
