import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { bindRules, type Pipeline, type RouteRules, type Step } from "./route.ts";

type Done = (error?: Error) => void;
type Hook = (request: FastifyRequest, reply: FastifyReply, done: Done) => void;

/**
 * Has every route go through the pipeline before the body is parsed: a caller we do not know costs us no parsing. Which steps
 * a route takes is worked out when it is declared. Addresses that do not exist take those that are for everything. Comes
 * before the routes.
 */
export function installPipeline(app: FastifyInstance, pipeline: Pipeline): void {
	const installed = new Set<unknown>();
	app.addHook("onRoute", (route) => {
		const own = [route.onRequest ?? []].flat();
		if (own.some((hook) => installed.has(hook))) return; // A GET's HEAD brings the hook of its GET along.
		const { rules } = (route.config ?? {}) as { rules?: RouteRules };
		const hook = enterRoute(pipeline, { url: route.url, rules });
		installed.add(hook);
		route.onRequest = [hook, ...own];
	});
	const unknown = enterRoute(pipeline, { url: undefined, rules: undefined });
	app.addHook("onRequest", (request, reply, done) => {
		if (request.is404) unknown(request, reply, done);
		else done();
	});
}

function enterRoute(
	pipeline: Pipeline,
	route: { url: string | undefined; rules: RouteRules | undefined },
): Hook {
	const byMethod = new Map<string, readonly Step[]>();
	const stepsFor = (method: string) => {
		const steps = pipeline.filter(([, when]) => when({ ...route, method })).map(([step]) => step);
		if (!route.url) return steps; // Whatever method is made up for an address that does not exist.
		byMethod.set(method, steps);
		return steps;
	};
	return (request, reply, done) => {
		bindRules(request, route.rules);
		takeSteps(byMethod.get(request.method) ?? stepsFor(request.method), { request, reply, done }, 0);
	};
}

type Entering = { request: FastifyRequest; reply: FastifyReply; done: Done };

/** Most steps know their answer at once and are not waited for: a turn of the event loop each would cost more than they do. */
function takeSteps(steps: readonly Step[], entering: Entering, from: number): void {
	const { request, reply, done } = entering;
	let failed: Error | undefined;
	try {
		for (let at = from; at < steps.length; at += 1) {
			const waiting = steps[at]?.(request, reply);
			if (waiting !== undefined) return void waiting.then(() => takeSteps(steps, entering, at + 1), done);
		}
	} catch (error) {
		failed = error as Error;
	}
	done(failed);
}
