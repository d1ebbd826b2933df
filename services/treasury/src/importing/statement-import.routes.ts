import { chassisFailures, platformOwner, type Route, route, tenantWide } from "@lango/chassis";
import { FailureBody } from "@lango/contracts";
import Type from "typebox";
import { Currency } from "../money/amount.ts";
import { operatorOf } from "../operator.ts";
import type { Treasury } from "../treasury.ts";
import { importStatement } from "./import-statement.ts";

const bodyBytesMax = 8 * 1024 * 1024;

/** The operator's route for statements of the bank account and of shortcodes. */
export const statementImportRoutes = (treasury: Treasury): readonly Route[] => [
	route({
		access: platformOwner(),
		outlets: tenantWide("statements are the platform's"),
		method: "POST",
		subscription: { exempt: "the platform owner reconciles regardless of the tenant's subscription" },
		url: "/api/v1/platform/statements",
		bytes: ["text/csv"],
		bodyLimit: bodyBytesMax,
		schema: {
			summary: "Imports a statement of the bank account, or of a shortcode",
			description:
				"CSV with the columns date, amount (negative: what left), reference, and if they are known description, account (what the payer gave as the account number) and payer (a phone, which may be masked). Account and payer distinguish payments of one amount. Lines that are known change nothing. If a line cannot be read nothing is imported, and the failure names line and column.",
			tags: ["reconciliation"],
			querystring: Type.Object({
				source: Type.String({ pattern: "^(bank|\\d{5,10})$", description: "bank, or the shortcode" }),
				currency: Type.Optional(Currency),
			}),
			response: {
				200: Type.Object({
					lines: Type.Integer({ description: "How many lines the statement has" }),
					added: Type.Integer({ description: "How many of them were not known" }),
				}),
				"4xx": FailureBody,
			},
		},
		handler: async (request) => {
			const { query, body } = request;
			const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
			const statement = { source: query.source, currency: query.currency ?? "KES", bytes };
			const imported = await importStatement(treasury, statement, operatorOf(request));
			if (!("column" in imported)) return imported;
			const { message, line, column } = imported;
			throw chassisFailures.invalid_input({ message, fields: { in: "body", field: column, line, column } });
		},
	}),
];
