import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../platform.ts";
import { useTexts, wordFor } from "../texts/texts.ts";
import { addOnsQuery, plansQuery } from "./subscription.queries.ts";

/** What names a plan or an add-on by its code: the name it is sold under, or the console's word where it is no longer sold. */
export function usePlanName(): (code: string) => string {
	const platform = usePlatform();
	const plans = useQuery(plansQuery(platform)).data;
	const addOns = useQuery(addOnsQuery(platform)).data;
	const { plans: words } = useTexts();
	return (code) =>
		plans?.find((plan) => plan.code === code)?.name ??
		addOns?.find((addOn) => addOn.code === code)?.name ??
		wordFor(words, code);
}
