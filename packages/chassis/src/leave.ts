import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { ReadinessChecks } from "./health.ts";

export type Leaving = { app: FastifyInstance; checks: ReadinessChecks; noticeMs: number };

/**
 * Tells those who send requests that there will soon be nobody to take them, and works on meanwhile: `/readyz` says no, and each
 * answer closes its connection. So whoever stands before several processes takes this one out before it refuses anything,
 * and no request is under way on a connection that is closed. Resolves when the time of the notice is over.
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
