import { outsideTransactions, withRequestContext } from "@lango/tracing";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ContextOfRequest } from "../observe/trace-requests.ts";
import { callKey } from "../request/call.ts";
import {
	bindRoute,
	type Pipeline,
	type Reached,
	type RouteRules,
	reachedKey,
	type Step,
} from "../request/route.ts";

type Done = (error?: Error) => void;
type Hook = (request: FastifyRequest, reply: FastifyReply, done: Done) => void;
type Way = {
	/**
	 * The steps of every request, also for unknown addresses. Only hooks of Fastify plugins run before them.
	 */
	entrance: readonly Step[];
	pipeline: Pipeline;
	/** Creates the request context; without it requests have none. */
	contextOf?: ContextOfRequest;
	answerUnknownAddress: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
};

/**
 * Runs the pipeline of every route before the body is parsed, so that a request without a valid credential
 * causes no parsing. The steps of a route are selected at its first request and run in one hook. Requests
 * to unknown addresses run the steps that apply to all addresses and are answered by
 * `answerUnknownAddress`. Call it before the routes are added.
 */
export function installPipeline(app: FastifyInstance, { answerUnknownAddress, ...way }: Way): void {
	// Adds the properties to the prototype, so that all requests have the same object shape.
	for (const key of [callKey, reachedKey]) app.decorateRequest(key as unknown as string, undefined);
	const installed = new Set<unknown>();
	app.addHook("onRoute", (route) => {
		const own = [route.onRequest ?? []].flat();
		if (own.some((hook) => installed.has(hook))) return; // A GET's HEAD brings the hook of its GET along.
		const { rules } = (route.config ?? {}) as { rules?: RouteRules };
		const hook = enterRoute(way, { url: route.url, rules });
		installed.add(hook);
		route.onRequest = [hook, ...own];
	});
	// A separate scope, so that this hook applies to no route.
	app.register((nowhere, _options, done) => {
		nowhere.addHook("onRequest", enterRoute(way, { url: undefined, rules: undefined }));
		nowhere.setNotFoundHandler(answerUnknownAddress);
		done();
	});
}

function enterRoute(
	{ entrance, pipeline, contextOf }: Omit<Way, "answerUnknownAddress">,
	route: Reached,
): Hook {
	const byMethod = new Map<string, readonly Step[]>();
	const learn = (method: string) => {
		const steps = [...entrance, ...stepsOf(pipeline, { ...route, method })];
		byMethod.set(method, steps);
		return steps;
	};
	return (request, reply, done) => {
		bindRoute(request, route);
		const steps = byMethod.get(request.method) ?? learn(request.method);
		const enter = () => takeSteps(steps, { request, reply, done }, 0);
		// A request by `app.inject` inside a transaction is a separate call chain, as over HTTP.
		outsideTransactions(() =>
			contextOf === undefined ? enter() : withRequestContext(contextOf(request), enter),
		);
	};
}

const stepsOf = (pipeline: Pipeline, reached: Reached & { method: string }): Step[] =>
	pipeline.filter(([, when]) => when(reached)).map(([step]) => step);

type Entering = { request: FastifyRequest; reply: FastifyReply; done: Done };

/**
 * Stops at a step that has answered the request. Most steps are synchronous and are not awaited: an
 * iteration of the event loop for each would cost more than the step itself.
 */
function takeSteps(steps: readonly Step[], entering: Entering, from: number): void {
	const { request, reply, done } = entering;
	let failed: Error | undefined;
	try {
		for (let at = from; at < steps.length; at += 1) {
			const waiting = steps[at]?.(request, reply);
			if (waiting !== undefined)
				return void waiting.then(() => reply.sent || takeSteps(steps, entering, at + 1), done);
		}
	} catch (error) {
		failed = error as Error;
	}
	done(failed);
}
