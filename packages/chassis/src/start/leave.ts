import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { ReadinessChecks } from "../http/health.ts";

export type Leaving = { app: FastifyInstance; checks: ReadinessChecks; noticeMs: number };

/**
 * Announces the stop of the process: `/readyz` fails, and each response closes its connection, while requests
 * are still served. Load balancers remove the process before it refuses requests, and no request is lost on a
 * closed connection. Resolves at the end of the notice period.
 */
export async function leave({ app, checks, noticeMs }: Leaving): Promise<void> {
	if (noticeMs === 0) return;
	checks.set("stopping", {
		check: async () => {
			throw new Error("the process was asked to stop");
		},
		isVital: true,
	});
	// Before Fastify's own listener, and only from now on: until here no request pays for it.
	app.server.prependListener("request", (_request, response) => {
		response.setHeader("connection", "close");
	});
	await sleep(noticeMs);
}
