import { memberAt, textOf } from "../../../inbox/read-body.ts";
import type { ChargeOrigin } from "../../../outcomes/evidence/card-evidence.ts";
import { readCard } from "./read-card.ts";

/** The member of a page's metadata with its token. */
export const pageTokenMember = "lango_page";

/** Reads where a charge comes from. Answers and events write the plan in different ways. Never throws. */
export const readOrigin = (charge: unknown): ChargeOrigin => ({
	planCode:
		textOf(memberAt(charge, "plan")) ??
		textOf(memberAt(charge, "plan", "plan_code")) ??
		textOf(memberAt(charge, "plan_object", "plan_code")),
	customerCode: textOf(memberAt(charge, "customer", "customer_code")),
	pageToken: textOf(memberAt(charge, "metadata", pageTokenMember)),
	email: textOf(memberAt(charge, "customer", "email")),
	card: readCard(charge),
});
