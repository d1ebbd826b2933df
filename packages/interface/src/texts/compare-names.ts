import { currentLanguage } from "./language.ts";

/** Compares names as people sort them: "Outlet 2" before "Outlet 10", and without regard to case. */
export function compareNames(one: string | number, other: string | number): number {
	if (typeof one === "number" && typeof other === "number") return one - other;
	return String(one).localeCompare(String(other), currentLanguage(), { numeric: true, sensitivity: "base" });
}
