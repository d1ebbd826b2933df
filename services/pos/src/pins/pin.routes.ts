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
import { deletePin, type PinChange, setPin } from "./change-pin.ts";

const Pin = Type.String({ pattern: "^[0-9]{4,8}$", description: "4 to 8 digits" });
const SetPin = Type.Object({
	user_id: Uuid,
	outlet_id: Type.Union([Uuid, Type.Null()], {
		description: "The only outlet where the PIN is valid; null: every outlet",
	}),
});
const OfUser = Type.Object({ tenant: Type.String(), user_id: Uuid });

/** Setting and deleting PINs, by a manager or by the person. */
export const pinRoutes = (pos: Pos): readonly Route[] => [
	route({
		method: "PUT",
		url: "/pins/own",
		access: permit("pos.pins.change_own", "pos.pins.change"),
		product: "pos",
		schema: {
			summary:
				"Sets the caller's own PIN. If the caller is bound to outlets, a first PIN is valid at the outlet of X-Outlet-ID, or at their only outlet",
			body: Shape({ pin: Pin }),
			response: { 200: SetPin },
		},
		handler: async (request) => {
			const caller = callerOf(request);
			if (caller.kind !== "user") throw chassisFailures.forbidden();
			const subject = ownerOf(request)?.userId ?? caller.userId.toLowerCase();
			const { pin } = request.body;
			const outlet = { id: defaultOutlet(request, "change_own"), isKept: true };
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
			summary: "Sets another person's PIN, ends their till sessions and ends their lock at every till",
			params: OfUser,
			body: Shape({ pin: Pin, outlet_id: Type.Optional(Type.Union([Uuid, Type.Null()])) }),
			response: { 200: SetPin },
		},
		handler: async (request) => {
			const { pin, outlet_id: requested } = request.body;
			const id =
				requested === undefined ? defaultOutlet(request, "manage") : (requested?.toLowerCase() ?? null);
			const outlet = { id, isKept: requested === undefined };
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
			summary: "Deletes a person's PIN and ends the till sessions that use it",
			params: OfUser,
			response: { 204: Type.Null() },
		},
		handler: async (request, reply) => {
			await deletePin(pos, changeOf(request, request.params.user_id.toLowerCase(), "delete"));
			return reply.code(204).send(null);
		},
	}),
];

type PinAction = "manage" | "change_own" | "delete";

function changeOf(request: Parameters<typeof callerOf>[0], subject: string, action: PinAction): PinChange {
	return {
		tenantId: tenantOf(request).id,
		subject,
		actor: actorOf(callerOf(request)),
		rightsAt: (outletId) => requireRight(request, `pos.pins.${action}`, outletId ?? undefined),
		requireInScope: (outletId) => requireInScope(request, outletId),
		scope: scopeOf(request),
		origin: originOf(request),
	};
}

/**
 * The outlet of a new PIN if the request names none. For a caller who is bound to outlets: the outlet of
 * X-Outlet-ID, or their only outlet. For other callers: every outlet, or the outlet of X-Outlet-ID if they
 * have the right only there.
 */
function defaultOutlet(request: Parameters<typeof callerOf>[0], action: PinAction): string | null {
	const { outletId: named = null } = callOf(request);
	const scope = scopeOf(request);
	if (scope !== "all") return named ?? (scope.length === 1 ? (scope[0] ?? null) : null);
	return rightsOf(request)(`pos.pins.${action}`) ? null : named;
}
