/** A bank or a provider of mobile money. The names are invented; codes are only valid here. */
export type Bank = {
	id: number;
	name: string;
	code: string;
	country: "Kenya" | "Nigeria";
	currency: string;
	type: "nuban" | "mobile_money";
	/** Payers can pay by transfer to it. */
	hasTransfer: boolean;
};

const kenya = { country: "Kenya", currency: "KES" } as const;

export const banks: readonly Bank[] = [
	{ id: 101, name: "Baraka Bank", code: "11", ...kenya, type: "nuban", hasTransfer: true },
	{ id: 102, name: "Jamii Savings Bank", code: "12", ...kenya, type: "nuban", hasTransfer: true },
	{ id: 103, name: "Nyali Commercial Bank", code: "13", ...kenya, type: "nuban", hasTransfer: true },
	{ id: 104, name: "Rift Valley Bank", code: "14", ...kenya, type: "nuban", hasTransfer: false },
	{ id: 105, name: "Umoja Cooperative Bank", code: "15", ...kenya, type: "nuban", hasTransfer: false },
	{ id: 106, name: "Ziwa Microfinance Bank", code: "16", ...kenya, type: "nuban", hasTransfer: false },
	{ id: 151, name: "Pesa Mobile", code: "PESA", ...kenya, type: "mobile_money", hasTransfer: false },
	{ id: 152, name: "Anga Mobile", code: "ANGA", ...kenya, type: "mobile_money", hasTransfer: false },
	{
		...{ id: 201, name: "Lagoon Bank", code: "901", country: "Nigeria", currency: "NGN" },
		...{ type: "nuban", hasTransfer: true },
	},
];

const listedAt = "2026-01-05T08:00:00.000Z";

/** A bank as `GET /bank` shows it. */
export const toBank = ({ hasTransfer, ...bank }: Bank) => ({
	name: bank.name,
	slug: bank.name.toLowerCase().replaceAll(" ", "-"),
	code: bank.code,
	longcode: "",
	gateway: null,
	pay_with_bank: false,
	pay_with_bank_transfer: hasTransfer,
	supports_transfer: true,
	available_for_direct_debit: false,
	active: true,
	is_deleted: false,
	country: bank.country,
	currency: bank.currency,
	type: bank.type,
	id: bank.id,
	createdAt: listedAt,
	updatedAt: listedAt,
});
