import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Caller, callOf, type TenantSlot } from "../request/call.ts";
import { chassisFailures } from "../request/failure.ts";
import type { Step } from "../request/route.ts";

/** Counts the requests of each tenant that are in progress in this process. */
export type TenantSlots = {
	/**
	 * Takes a slot of the tenant until the end of the response. Refuses with 429 `tenant_busy` and Retry-
	 * After if none is free. Callers without a credential have separate slots, so that they cannot use up
	 * those of the tenant's people. API keys that are valid for all tenants (services of the platform) take
	 * none: each of these services limits its own callers.
	 */
	take(
		request: { tenantId: string | undefined; caller: Caller | undefined },
		reply: FastifyReply,
	): TenantSlot | undefined;
	/** The number of requests with a slot. */
	taken(): number;
};

/**
 * The step that takes a slot: of the tenant of the request, otherwise of the caller's tenant. It follows
 * the step that determines the tenant. Refuses with 429 `tenant_busy`.
 */
export const takeTenantSlot =
	(slots: TenantSlots): Step =>
	(request, reply) => {
		const call = callOf(request);
		const { tenant, caller } = call;
		const slot = slots.take({ tenantId: tenant?.id ?? tenantOfCaller(caller), caller }, reply);
		if (slot !== undefined) call.slot = slot;
	};

/**
 * The last step of a pipeline: releases the slot while the body of the request is received. Otherwise one
 * person with slow uploads could use up the tenant's slots. `installSlots` takes the slot again.
 */
export const pauseSlot: Step = (request) => {
	if (hasBody(request)) callOf(request).slot?.pause();
};

/** Takes the slot of a request again when its body has been received. Refuses with 429 `tenant_busy`. */
export function installSlots(app: FastifyInstance): void {
	app.addHook("preValidation", (request, _reply, done) => {
		callOf(request).slot?.resume();
		done();
	});
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
	headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

function tenantOfCaller(caller: Caller | undefined): string | undefined {
	const id = caller?.kind === "key" ? caller.tenantId : caller?.claims.tenant_id;
	return id?.toLowerCase();
}

const retryAfterSeconds = 1;
/**
 * If the client has closed the connection, the slot is released after this time at the latest. Statements
 * time out earlier.
 */
const abandonedMs = 30_000;

/** Creates the slots of one service. Memory is bounded by the requests in progress. */
export function createTenantSlots({ requestsMax }: { requestsMax: number }): TenantSlots {
	const taken = new Map<string, number>();
	let total = 0;
	const occupy = (name: string) => {
		const count = taken.get(name) ?? 0;
		if (count >= requestsMax)
			throw chassisFailures.tenant_busy({ headers: { "retry-after": String(retryAfterSeconds) } });
		taken.set(name, count + 1);
		total += 1;
	};
	const give = (name: string) => {
		total -= 1;
		const count = taken.get(name) ?? 0;
		if (count > 1) taken.set(name, count - 1);
		else taken.delete(name);
	};
	return {
		take({ tenantId, caller }, reply) {
			if (tenantId === undefined || (caller?.kind === "key" && caller.tenantId === undefined))
				return undefined;
			const name = caller === undefined ? `${tenantId} open` : tenantId;
			occupy(name);
			let state: "held" | "paused" | "ended" = "held";
			const leave = (next: "paused" | "ended") => {
				if (state === "held") give(name);
				if (state !== "ended") state = next;
			};
			whenEnded(reply, () => leave("ended"));
			return {
				pause: () => leave("paused"),
				resume() {
					if (state !== "paused") return;
					occupy(name);
					state = "held";
				},
			};
		},
		taken: () => total,
	};
}

/**
 * Calls `done` once, at the end of the response. If the client closes the connection early, the handler
 * continues, and the slot is released when the handler has responded. Otherwise a client that aborts
 * repeatedly could have any number of handlers in progress.
 */
function whenEnded({ raw }: FastifyReply, done: () => void): void {
	raw.once("close", () => {
		if (raw.writableEnded) return done();
		const end = raw.end.bind(raw) as (...given: unknown[]) => typeof raw;
		let isOver = false;
		const over = () => {
			clearTimeout(abandoned);
			if (!isOver) done();
			isOver = true;
		};
		const abandoned = setTimeout(over, abandonedMs);
		abandoned.unref();
		raw.end = ((...given: unknown[]) => {
			over();
			return end(...given);
		}) as typeof raw.end;
	});
}
