import type { Actor } from "@lango/access";
import type { FastifyRequest } from "fastify";
import type { Caller } from "./call.ts";

/** The caller as the audit log names it. */
export function actorOf(caller: Caller): Actor {
	if (caller.kind === "user") return { kind: "user", id: caller.userId };
	return caller.kind === "client"
		? { kind: "client", id: caller.clientId }
		: { kind: "key", id: caller.keyId };
}

/** The origin of a request, as the audit log stores it. */
export const originOf = ({ id, ip }: FastifyRequest) => ({ requestId: id, address: ip });
