// Roles and their names, without schemas, so that pages can import this file alone.
import type { Language } from "./values/language.ts";

/** The roles that the sign-on service assigns (spec §2.3). */
export const globalRoles = [
	"superuser",
	"admin",
	"manager",
	"cashier",
	"waiter",
	"kitchen",
	"bar",
	"receptionist",
	"staff",
	"member",
	"rider",
	"viewer",
] as const;
export type GlobalRole = (typeof globalRoles)[number];

type Names = Readonly<Record<GlobalRole, string>>;

const english: Names = {
	superuser: "Superuser",
	admin: "Administrator",
	manager: "Manager",
	cashier: "Cashier",
	waiter: "Waiter",
	kitchen: "Kitchen",
	bar: "Bar",
	receptionist: "Receptionist",
	staff: "Staff",
	member: "Member",
	rider: "Rider",
	viewer: "Viewer",
};

const swahili: Names = {
	superuser: "Msimamizi mkuu",
	admin: "Msimamizi",
	manager: "Meneja",
	cashier: "Keshia",
	waiter: "Mhudumu",
	kitchen: "Jikoni",
	bar: "Baa",
	receptionist: "Mpokezi",
	staff: "Mfanyakazi",
	member: "Mwanachama",
	rider: "Msafirishaji",
	viewer: "Mtazamaji",
};

/** The names of the global roles, as pages and mails show them. */
export const roleNames: Readonly<Record<Language, Names>> = { en: english, sw: swahili };
