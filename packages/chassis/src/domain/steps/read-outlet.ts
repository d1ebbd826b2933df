import { isUuid } from "@lango/postgres";
import { callOf } from "../../request/call.ts";
import { scopeOfCaller } from "../../request/outlet-scope.ts";
import { rulesOf, type Step } from "../../request/route.ts";
import { userOf } from "./provision-user.ts";

/**
 * The step that determines the caller's outlet scope and reads X-Outlet-ID (spec §4.3): a UUID narrows the
 * scope to this outlet, any other value is ignored. It always continues; `authorize` refuses an outlet
 * outside of the scope. Permissions at this outlet only count on routes that are bound to outlets; with a
 * till's token, at the till's outlet.
 */
export const readOutlet: Step = (request) => {
	const call = callOf(request);
	const { caller, person } = call;
	if (caller !== undefined) call.scope ??= scopeOfCaller(caller, person);
	const header = request.headers["x-outlet-id"];
	if (typeof header === "string" && isUuid(header)) call.outletId = header.toLowerCase();
	if (person === undefined || caller?.kind !== "user" || rulesOf(request)?.outlets !== undefined) return;
	const outletId = call.outletId ?? (caller.isIssuedHere ? caller.claims.outlet_id : undefined);
	if (outletId !== undefined) call.user = userOf(person, caller, outletId);
};
