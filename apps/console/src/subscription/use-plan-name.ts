import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../platform.ts";
import { useTexts, wordFor } from "../texts/texts.ts";
import { addOnsQuery, plansQuery } from "./subscription.queries.ts";

/**
 * Returns a function that names a plan or add-on by code: its name in the catalogue, or the console's text
 * if it is not on offer.
 */
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
