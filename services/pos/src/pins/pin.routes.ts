import {
	actorOf,
	callerOf,
	callOf,
	chassisFailures,
	originOf,
	ownerOf,
	permit,
	type Route,
	requireInScope,
	requireRight,
	rightsOf,
	route,
	scopeOf,
	tenantOf,
} from "@lango/chassis";
import { Shape, Uuid } from "@lango/contracts";
import Type from "typebox";
import type { Pos } from "../pos.ts";
import { type PinChange, setPin, takePin } from "./change-pin.ts";

const Pin = Type.String({ pattern: "^[0-9]{4,8}$", description: "4 to 8 digits" });
const SetPin = Type.Object({
	user_id: Uuid,
	outlet_id: Type.Union([Uuid, Type.Null()], {
		description: "The only outlet it is good at; null: every one",
	}),
});
const OfUser = Type.Object({ tenant: Type.String(), user_id: Uuid });

/** PINs: set by a manager, or by the person. */
export const pinRoutes = (pos: Pos): readonly Route[] => [
	route({
		method: "PUT",
		url: "/pins/own",
		access: permit("pos.pins.change_own", "pos.pins.change"),
		product: "pos",
		schema: {
			summary:
				"Sets one's own PIN; the first one of a caller of some outlets is good at the one named by X-Outlet-ID, or the only one",
			body: Shape({ pin: Pin }),
			response: { 200: SetPin },
		},
		handler: async (request) => {
			const caller = callerOf(request);
			if (caller.kind !== "user") throw chassisFailures.forbidden();
			const subject = ownerOf(request)?.userId ?? caller.userId.toLowerCase();
			const { pin } = request.body;
			const outlet = { id: usualOutlet(request, "change_own"), isKept: true };
			const own = { rightsAt: () => () => true, isOwn: true } as const;
			const change = { ...changeOf(request, subject, "change_own"), ...own };
			return { user_id: subject, outlet_id: await setPin(pos, { pin, outlet }, change) };
		},
	}),
	route({
		method: "PUT",
		url: "/pins/:user_id",
		access: permit("pos.pins.manage"),
		product: "pos",
		schema: {
			summary: "Sets another person's PIN, ends their till sessions and unlocks them at every till",
			params: OfUser,
			body: Shape({ pin: Pin, outlet_id: Type.Optional(Type.Union([Uuid, Type.Null()])) }),
			response: { 200: SetPin },
		},
		handler: async (request) => {
			const { pin, outlet_id: wished } = request.body;
			const id = wished === undefined ? usualOutlet(request, "manage") : (wished?.toLowerCase() ?? null);
			const outlet = { id, isKept: wished === undefined };
			const change = changeOf(request, request.params.user_id.toLowerCase(), "manage");
			return { user_id: change.subject, outlet_id: await setPin(pos, { pin, outlet }, change) };
		},
	}),
	route({
		method: "DELETE",
		url: "/pins/:user_id",
		access: permit("pos.pins.delete"),
		product: "pos",
		schema: {
			summary: "Takes a person's PIN away; whoever is signed in with it is signed out",
			params: OfUser,
			response: { 204: Type.Null() },
		},
		handler: async (request, reply) => {
			await takePin(pos, changeOf(request, request.params.user_id.toLowerCase(), "delete"));
			return reply.code(204).send(null);
		},
	}),
];

type Act = "manage" | "change_own" | "delete";

function changeOf(request: Parameters<typeof callerOf>[0], subject: string, act: Act): PinChange {
	return {
		tenantId: tenantOf(request).id,
		subject,
		actor: actorOf(callerOf(request)),
		rightsAt: (outletId) => requireRight(request, `pos.pins.${act}`, outletId ?? undefined),
		requireInScope: (outletId) => requireInScope(request, outletId),
		scope: scopeOf(request),
		origin: originOf(request),
	};
}

/**
 * Where a new PIN is good unless it is said: for a caller of some outlets at the one named by X-Outlet-ID, or the only one; for a
 * caller of all outlets at every till, or at the named outlet where they have the right there alone.
 */
function usualOutlet(request: Parameters<typeof callerOf>[0], act: Act): string | null {
	const { outletId: named = null } = callOf(request);
	const scope = scopeOf(request);
	if (scope !== "all") return named ?? (scope.length === 1 ? (scope[0] ?? null) : null);
	return rightsOf(request)(`pos.pins.${act}`) ? null : named;
}
