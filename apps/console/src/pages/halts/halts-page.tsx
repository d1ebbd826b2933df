import { type Column, RowName, SelectField, TextAreaField, TextField } from "@lango/interface";
import { FormButton } from "../../dialogs/form-button.tsx";
import { textOf } from "../../forms/form-data.ts";
import { errorsOf } from "../../forms/rules.ts";
import type { Field } from "../../forms/submit-form.tsx";
import { Page } from "../../layout/page.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import { useTenantOf } from "../tenants/use-tenant-of.ts";
import { type Halt, haltScopes, haltsAddress, haltsKey, setHalt, switchHalt } from "./halt.queries.ts";
import { useHaltTexts } from "./texts.ts";

/** `/{slug}/platform/halts`: what the platform owner has stopped, with the reasons. */
export function HaltsPage() {
	if (usePlatform().settings.services.treasury === undefined) return <NotFoundPage />;
	return <Halts />;
}

function Halts() {
	const words = useHaltTexts();
	const list = usePagedList<Halt>({
		...{ key: haltsKey, address: haltsAddress(usePlatform()), outlet: "none" },
	});
	return (
		<Page title={words.title} lead={words.lead} actions={<HaltButton />}>
			<PagedList
				list={list}
				isMain
				caption={words.title}
				columns={useColumns()}
				keyOf={({ scope, tenant_id }) => `${scope} ${tenant_id}`}
				empty={words.none}
			/>
		</Page>
	);
}

function useColumns(): Column<Halt>[] {
	const words = useHaltTexts();
	const format = useFormat();
	return [
		{
			head: words.scope,
			cell: ({ scope, tenant_id }) => (
				<RowName detail={<TenantName id={tenant_id} />}>{words.scopes[scope]}</RowName>
			),
		},
		{ head: words.because, isLong: true, cell: ({ because }) => because },
		{ head: words.since, cell: ({ set_at }) => format.time(set_at) },
		{ head: words.actions, isHeadHidden: true, isNumber: true, cell: (halt) => <LiftButton halt={halt} /> },
	];
}

function TenantName({ id }: { id: string | null }) {
	return useTenantName(id);
}

/** The name of an organisation by its id; the id while it loads. */
function useTenantName(id: string | null): string {
	const words = useHaltTexts();
	const { name } = useTenantOf(id);
	return id === null ? words.all : (name ?? id);
}

const checkReason = (entered: FormData, message: string) =>
	errorsOf([[textOf(entered, "because") === "", "because", message]]);

function HaltButton() {
	const platform = usePlatform();
	const words = useHaltTexts();
	const { label, lead, confirm, busy, done } = words.set;
	return (
		<FormButton
			isDestructive
			label={label}
			lead={lead}
			confirm={confirm}
			busyText={busy}
			messages={{ tenant_not_found: words.unknownTenant }}
			check={(entered) => checkReason(entered, words.missingReason)}
			action={(entered) =>
				setHalt(platform, {
					...{ scope: textOf(entered, "scope"), slug: textOf(entered, "tenant") },
					because: textOf(entered, "because"),
				})
			}
			invalidates={haltsKey}
			done={done}
		>
			{(field) => (
				<>
					<SelectField
						{...field("scope")}
						label={words.scope}
						options={haltScopes.map((value) => ({ value, label: words.scopes[value] }))}
					/>
					<TextField
						{...field("tenant")}
						label={words.tenant}
						hint={words.tenantHint}
						autoComplete="off"
						maxLength={63}
						isOptional
					/>
					<Reason field={field} />
				</>
			)}
		</FormButton>
	);
}

function LiftButton({ halt: { scope, tenant_id } }: { halt: Halt }) {
	const platform = usePlatform();
	const words = useHaltTexts();
	const tenant = useTenantName(tenant_id);
	const { label, title, lead, confirm, busy, done } = words.lift;
	return (
		<FormButton
			label={label}
			title={title(words.scopes[scope], tenant)}
			lead={lead}
			confirm={confirm}
			busyText={busy}
			check={(entered) => checkReason(entered, words.missingReason)}
			action={(entered) =>
				switchHalt(platform, {
					...{ scope, is_on: false, because: textOf(entered, "because") },
					...(tenant_id !== null && { tenant_id }),
				})
			}
			invalidates={haltsKey}
			done={done}
		>
			{(field) => <Reason field={field} />}
		</FormButton>
	);
}

function Reason({ field }: { field: Field }) {
	const words = useHaltTexts();
	return <TextAreaField {...field("because")} label={words.because} maxLength={300} isProse />;
}
