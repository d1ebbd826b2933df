import type { TemplateSource } from "../rendering/compile-template.ts";
import { cafeTemplates } from "./cafe.ts";
import { digestTemplates } from "./digest.ts";
import { generalTemplates } from "./general.ts";
import { ispTemplates } from "./isp.ts";
import { paymentTemplates } from "./payment.ts";
import { reportTemplates } from "./reports.ts";
import { signOnTemplates } from "./sign-on.ts";
import { subscriptionTemplates } from "./subscription.ts";
import { weighingTemplates } from "./weighing.ts";

/** The templates of the platform, in English and Swahili, before they are compiled (§2.2). */
export const catalogue: readonly TemplateSource[] = [
	...weighingTemplates,
	...reportTemplates,
	...cafeTemplates,
	...ispTemplates,
	...generalTemplates,
	...signOnTemplates,
	...subscriptionTemplates,
	...paymentTemplates,
	...digestTemplates,
];
