import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { beforeEach, expect, test } from "vitest";
import { createLog } from "./observe.ts";
import { installRequestLogs } from "./request-log.ts";

let lines: string[];
let app: FastifyInstance;
beforeEach(() => {
	lines = [];
	const log = createLog("bakery", "info", { write: (line) => void lines.push(line) });
	app = Fastify({
		loggerInstance: log as FastifyBaseLogger,
		logController: new LogController({ disableRequestLogging: true }),
		genReqId: () => "r1",
	});
	installRequestLogs(app);
});
const written = () => lines.map((line) => JSON.parse(line));

test("the line of a request names the service and, once, the request, and secrets are blotted out of it", async () => {
	app.get("/", async ({ log }) => {
		log.info({ password: "hunter2", loaves: 3 }, "baked");
		return {};
	});
	await app.inject("/");
	const line = { service: "bakery", reqId: "r1", password: "[redacted]", loaves: 3, msg: "baked" };
	expect(written()).toMatchObject([line]);
	expect(lines[0]?.match(/reqId/g)).toHaveLength(1);
});

test("a child of a request's log names the request, too, and what it was made for", async () => {
	app.get("/", async ({ log }) => {
		log.child({ order: 7, secret: "hunter2" }).warn(new Error("burnt"));
		return {};
	});
	await app.inject("/");
	const line = { service: "bakery", reqId: "r1", order: 7, secret: "[redacted]", err: { message: "burnt" } };
	expect(written()).toMatchObject([line]);
});

test("a route's own level holds for its requests alone", async () => {
	const handler = async ({ log }: { log: FastifyBaseLogger }) => {
		log.info("whispered");
		log.error("shouted");
		return {};
	};
	app.get("/loud", { logLevel: "error" }, handler);
	app.get("/usual", handler);
	for (const address of ["/loud", "/usual"]) await app.inject(address);
	expect(written().map(({ msg, reqId }) => [msg, reqId])).toEqual([
		["shouted", "r1"],
		["whispered", "r1"],
		["shouted", "r1"],
	]);
});

test("a child of the server's log with more bindings than a request id has all of them", () => {
	app.log.child({ reqId: "r2", order: 7 }).info("logged");
	app.log.child({ reqId: 'r"3' }, { level: "error" }).info("untold");
	expect(written()).toMatchObject([{ reqId: "r2", order: 7 }]);
});
