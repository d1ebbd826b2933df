import { formatDay, formatMoney, formatNumber, formatTime, nameZone, useLanguage } from "@lango/interface";
import { useTexts } from "../texts/texts.ts";
import { useZone } from "./use-tenant.ts";

const unlimited = -1;

/** Returns functions that format values in the language of the page and the time zone of the tenant. */
export function useFormat() {
	const language = useLanguage();
	const texts = useTexts();
	const zone = { language, timeZone: useZone() };
	const number = (value: number) => formatNumber(value, language);
	return {
		number,
		day: (at: string | Date) => formatDay(at, zone),
		time: (at: string | Date) => formatTime(at, zone),
		/** An amount in minor units. */
		money: (minor: number, currency: string) => formatMoney(minor, { currency, language }),
		/** A limit of a plan; -1 is unlimited. */
		limit: (value: number) => (value === unlimited ? texts.unlimited : number(value)),
		/** The name of the tenant's time zone. */
		zoneName: nameZone(zone),
	};
}
