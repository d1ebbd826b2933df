import {
	developmentOrigins,
	exposedHeaders,
	listExposedHeaders,
	listRefusedPreflights,
	routesOfDocument,
} from "@lango/testkit";
import { expect, test } from "vitest";
import { setUpService } from "./test-service.ts";

const service = setUpService();

/** The specification's list for this service (payments text §4.5), and the headers it reads. */
const headers = [
	"Accept",
	"Authorization",
	"Content-Type",
	"X-Tenant-Slug",
	"X-Tenant-ID",
	"X-Outlet-ID",
	"X-Request-ID",
	"traceparent",
	"tracestate",
	"If-None-Match",
	"Idempotency-Key",
];
const send: Parameters<typeof listRefusedPreflights>[0]["send"] = (request) => service.app.inject(request);
const routes = () => routesOfDocument(service.app.swagger(), "/");

test.each([...developmentOrigins])(
	"a browser at %s can call every route with every header",
	async (origin) => {
		expect(await listRefusedPreflights({ send, routes: routes(), origin, headers })).toEqual([]);
		expect(await listExposedHeaders({ send, origin }, "/healthz")).toEqual(exposedHeaders);
	},
);

test("a browser at an unlisted origin can call no route, and other headers are refused", async () => {
	const all = routes();
	const strange = await listRefusedPreflights({
		send,
		routes: all,
		origin: "http://localhost:3999",
		headers,
	});
	expect(strange).toHaveLength(all.length);
	const origin = "http://localhost:3001";
	const header = await listRefusedPreflights({ send, routes: all, origin, headers: ["X-Strange"] });
	expect(header).toHaveLength(all.length);
	expect(header.every((line) => line.endsWith(": X-Strange"))).toBe(true);
});
