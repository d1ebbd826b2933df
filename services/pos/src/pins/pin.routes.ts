import {
	actorOf,
	callerOf,
	chassisFailures,
	originOf,
	outletOf,
	ownerOf,
	permit,
	type Route,
	requireRight,
	rightsOf,
	route,
	tenantOf,
} from "@lango/chassis";
import { Shape, Uuid } from "@lango/contracts";
import Type from "typebox";
import { boundOutlet } from "../outlets/own-outlet.ts";
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
		outlet: "kept",
		product: "pos",
		schema: {
			summary:
				"Sets one's own PIN; the first one of who is bound to an outlet, or has a role at one alone, is good there",
			body: Shape({ pin: Pin }),
			response: { 200: SetPin },
		},
		handler: async (request) => {
			const caller = callerOf(request);
			if (caller.kind !== "user") throw chassisFailures.forbidden();
			const subject = ownerOf(request)?.userId ?? caller.userId.toLowerCase();
			const { pin } = request.body;
			const change = { ...changeOf(request, subject, "change_own"), rightsAt: () => () => true };
			const outlet = { id: usualOutlet(request, "change_own"), isKept: true };
			return { user_id: subject, outlet_id: await setPin(pos, { pin, outlet }, change) };
		},
	}),
	route({
		method: "PUT",
		url: "/pins/:user_id",
		access: permit("pos.pins.manage"),
		outlet: "kept",
		product: "pos",
		schema: {
			summary: "Sets another person's PIN, ends their till sessions and unlocks them at every till",
			params: OfUser,
			body: Shape({ pin: Pin, outlet_id: Type.Optional(Type.Union([Uuid, Type.Null()])) }),
			response: { 200: SetPin },
		},
		handler: async (request) => {
			const { pin, outlet_id: wished } = request.body;
			const bound = boundOutlet(callerOf(request));
			if (bound !== undefined && wished !== undefined && wished?.toLowerCase() !== bound)
				throw chassisFailures.outlet_forbidden();
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
		outlet: "kept",
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
		origin: originOf(request),
	};
}

/** Where a new PIN is good unless it is said: at the outlet the caller is bound to, or has the right at alone; else at every till. */
function usualOutlet(request: Parameters<typeof callerOf>[0], act: Act): string | null {
	const named = outletOf(request) ?? null;
	const isEverywhere = rightsOf(request)(`pos.pins.${act}`);
	return boundOutlet(callerOf(request)) ?? (isEverywhere ? null : named);
}
