import { buttonLook, type Column, RowName, TextField } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ConfirmButton } from "../../../dialogs/confirm-button.tsx";
import { FormButton } from "../../../dialogs/form-button.tsx";
import type { Field } from "../../../forms/submit-form.tsx";
import { Badge } from "../../../layout/badge.tsx";
import { Page } from "../../../layout/page.tsx";
import { Section } from "../../../layout/section.tsx";
import { PagedList, usePagedList } from "../../../lists/paged-list.tsx";
import { usePlatform } from "../../../platform.ts";
import type { ServiceScope } from "../../../services/service-access.queries.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { ServiceGate } from "../../access/service-gate.tsx";
import { moneyText } from "../../plans/money-input.ts";
import { whole } from "../credit.queries.ts";
import { type OwnedPack, packsAddress, packsKey, savePack } from "./pack.queries.ts";
import { checkPack, readPack } from "./pack-form.ts";
import { useOwnerTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/credits");

/** `/{slug}/platform/credits`: the packs of SMS credit that tenants can buy, and the way to a grant. */
export function PlatformCreditsPage() {
	const { slug } = route.useParams();
	const words = useOwnerTexts();
	return (
		<ServiceGate service="notifications" slug={slug} permission="notifications.credits.change" isForPlatform>
			{(scope) => (
				<Page title={words.title} lead={words.lead}>
					<OwnedPacks scope={scope} />
					<Section title={words.grants} lead={words.grantsLead}>
						<Link to="/$slug/platform/tenants" params={{ slug }} className={buttonLook("plain")}>
							{words.tenants}
						</Link>
					</Section>
				</Page>
			)}
		</ServiceGate>
	);
}

function OwnedPacks({ scope }: { scope: ServiceScope }) {
	const words = useOwnerTexts();
	const list = usePagedList<OwnedPack>({
		...{ key: packsKey, address: packsAddress(usePlatform(), scope), ...whole },
	});
	return (
		<Section title={words.packs} actions={<AddButton scope={scope} />}>
			<PagedList
				isMain
				list={list}
				caption={words.packs}
				columns={usePackColumns(scope)}
				keyOf={({ code }) => code}
				empty={words.noPacks}
			/>
		</Section>
	);
}

function usePackColumns(scope: ServiceScope): Column<OwnedPack>[] {
	const words = useOwnerTexts();
	const format = useFormat();
	return [
		{
			head: words.pack,
			cell: ({ code, segments }) => (
				<RowName detail={code}>{words.segmentsOf(format.number(segments), segments)}</RowName>
			),
		},
		{
			head: words.price,
			isNumber: true,
			cell: ({ price_minor, currency }) => format.money(price_minor, currency),
		},
		{
			head: words.state,
			cell: ({ is_on_sale }) =>
				is_on_sale ? <Badge kind="done">{words.onSale}</Badge> : <Badge>{words.withdrawn}</Badge>,
		},
		{
			...{ head: words.actions, isHeadHidden: true, isNumber: true },
			cell: (pack) => (
				<span className="inline-flex flex-wrap gap-3 rows:justify-end">
					<ChangeButton scope={scope} pack={pack} />
					<SaleButton scope={scope} pack={pack} />
				</span>
			),
		},
	];
}

function AddButton({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const words = useOwnerTexts();
	return (
		<FormButton
			label={words.add}
			lead={words.addLead}
			confirm={words.add}
			busyText={words.adding}
			messages={words.errors}
			fieldMessages={words.refusals}
			check={(entered) => checkPack(entered, words.fieldErrors)}
			action={(entered) =>
				savePack(platform, scope, { method: "POST", body: { ...readPack(entered), is_on_sale: true } })
			}
			invalidates={packsKey}
			done={({ code }) => words.added(code)}
		>
			{(field) => (
				<>
					<TextField
						{...field("code")}
						autoComplete="off"
						label={words.code}
						hint={words.codeHint}
						maxLength={60}
					/>
					<TermFields field={field} />
				</>
			)}
		</FormButton>
	);
}

function ChangeButton({ scope, pack }: { scope: ServiceScope; pack: OwnedPack }) {
	const platform = usePlatform();
	const words = useOwnerTexts();
	return (
		<FormButton
			label={words.change}
			title={words.changeOf(pack.code)}
			lead={words.changeLead}
			confirm={words.save}
			busyText={words.saving}
			messages={words.errors}
			fieldMessages={words.refusals}
			check={(entered) => checkPack(entered, words.fieldErrors)}
			action={(entered) =>
				savePack(platform, scope, { method: "PUT", body: { ...pack, ...readPack(entered) } })
			}
			invalidates={packsKey}
			done={words.changed(pack.code)}
		>
			{(field) => (
				<>
					<input type="hidden" name="code" value={pack.code} />
					<TermFields field={field} pack={pack} />
				</>
			)}
		</FormButton>
	);
}

function TermFields({ field, pack }: { field: Field; pack?: OwnedPack }) {
	const words = useOwnerTexts();
	return (
		<>
			<TextField
				{...field("segments")}
				inputMode="numeric"
				autoComplete="off"
				label={words.segments}
				maxLength={8}
				defaultValue={pack === undefined ? "" : String(pack.segments)}
			/>
			<div className="grid gap-x-4 sm:grid-cols-2">
				<TextField
					{...field("price_minor")}
					inputMode="decimal"
					autoComplete="off"
					label={words.price}
					maxLength={13}
					defaultValue={pack === undefined ? "" : moneyText(pack.price_minor, pack.currency)}
				/>
				<TextField
					{...field("currency")}
					autoComplete="off"
					label={words.currency}
					maxLength={3}
					defaultValue={pack?.currency ?? "KES"}
				/>
			</div>
		</>
	);
}

/** Withdraws a pack from sale, or puts it on sale again. */
function SaleButton({ scope, pack }: { scope: ServiceScope; pack: OwnedPack }) {
	const platform = usePlatform();
	const words = useOwnerTexts();
	const body = { ...pack, is_on_sale: !pack.is_on_sale };
	return (
		<ConfirmButton
			texts={pack.is_on_sale ? words.withdraw : words.sell}
			isDestructive={pack.is_on_sale}
			name={pack.code}
			action={() => savePack(platform, scope, { method: "PUT", body })}
			invalidates={packsKey}
			messages={words.errors}
		/>
	);
}
