import { isUuid } from "@lango/tenancy";
import { type Caller, callOf } from "../../call.ts";
import { type RouteRules, rulesOf, type Step } from "../../route.ts";
import { userOf } from "./provision-user.ts";

/**
 * The step that reads X-Outlet-ID (spec §4.3): a UUID is the outlet to filter by, anything else means all tenant data.
 * It always continues. What a person holds at that outlet alone is added to what they hold in the tenant on routes that keep to the
 * outlet, and on no others: whoever runs one outlet runs nothing of the whole tenant by naming it (decision 0063).
 */
export const readOutlet: Step = (request) => {
	const call = callOf(request);
	const header = request.headers["x-outlet-id"];
	const rules = rulesOf(request);
	const claimed = claimedOutlet(call.caller, rules);
	const given = typeof header === "string" && isUuid(header) ? header : claimed;
	if (given === undefined || !isUuid(given)) return;
	call.outletId = given.toLowerCase();
	const { person } = call;
	if (person === undefined || call.caller?.kind !== "user" || rules?.outlet === undefined) return;
	call.user = userOf(person, call.caller, call.outletId);
};

/** The outlet of the token, where it applies without being named: where the route says so, and always by the service's own token. */
function claimedOutlet(caller: Caller | undefined, rules: RouteRules | undefined): string | undefined {
	if (caller?.kind !== "user") return undefined;
	return rules?.outlet === "own" || caller.isIssuedHere ? caller.claims.outlet_id : undefined;
}
