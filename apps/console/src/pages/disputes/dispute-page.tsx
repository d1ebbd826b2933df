import { buttonLook, Notice, TextAreaField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { textOf } from "../../forms/form-data.ts";
import { errorsOf } from "../../forms/rules.ts";
import { SaveForm } from "../../forms/save-form.tsx";
import { BackLink } from "../../layout/back-link.tsx";
import { Detail, Details } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { type Dispute, disputeQuery, disputesKey, isOpen, noteDispute } from "./dispute.queries.ts";
import { DisputeStatus } from "./dispute-status.tsx";
import { useDisputeTexts } from "./texts.ts";

const route = getRouteApi("/$slug/disputes/$id");

/** `/{slug}/disputes/{id}`: a dispute, until when it is answered, and what the organisation says about it. */
export function DisputePage() {
	const { slug, id } = route.useParams();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.disputes.view">
			{(scope, granted) => <StoredDispute scope={scope} id={id} granted={granted} />}
		</ServiceGate>
	);
}

type Props = { scope: ServiceScope; granted: ReadonlySet<string> };

function StoredDispute({ scope, id, granted }: Props & { id: string }) {
	const words = useDisputeTexts();
	const found = useQuery(disputeQuery(usePlatform(), { scope, id }));
	return (
		<Loaded query={found} isMain>
			{(dispute) => (
				<>
					<BackLink to="/$slug/disputes" params={{ slug: scope.slug }}>
						{words.title}
					</BackLink>
					<Page title={wordFor(words.categories, dispute.category ?? "chargeback")}>
						<div className="mb-6">
							<Notice kind={isOpen(dispute) ? "warning" : "plain"}>{words.says[dispute.status]}</Notice>
						</div>
						<Facts dispute={dispute} scope={scope} granted={granted} />
						<Note dispute={dispute} scope={scope} granted={granted} />
					</Page>
				</>
			)}
		</Loaded>
	);
}

type Shown = Props & { dispute: Dispute };

function Facts({ dispute, scope: { slug }, granted }: Shown) {
	const words = useDisputeTexts();
	const format = useFormat();
	return (
		<Details>
			<Detail label={words.amount}>{format.money(dispute.amount_minor, dispute.currency)}</Detail>
			<Detail label={words.status}>
				<DisputeStatus {...dispute} />
			</Detail>
			<Detail label={words.due}>{dispute.due_at === null ? "–" : format.time(dispute.due_at)}</Detail>
			<Detail label={words.created}>{format.time(dispute.created_at)}</Detail>
			{dispute.ended_at !== null && <Detail label={words.ended}>{format.time(dispute.ended_at)}</Detail>}
			{isGranted(granted, "treasury.receipts.view") && (
				<Detail label={words.of}>
					<Link
						to="/$slug/receipts/$id"
						params={{ slug, id: dispute.receipt_id }}
						className={buttonLook("quiet")}
					>
						{words.openReceipt}
					</Link>
				</Detail>
			)}
		</Details>
	);
}

function Note({ dispute, scope, granted }: Shown) {
	const platform = usePlatform();
	const words = useDisputeTexts();
	const mayChange = isOpen(dispute) && isGranted(granted, "treasury.disputes.change");
	return (
		<Section title={words.note} lead={mayChange ? words.noteLead : undefined}>
			{mayChange ? (
				<div className="max-w-2xl">
					<SaveForm
						key={dispute.id}
						texts={words.saving}
						messages={words.errors}
						check={(entered) => errorsOf([[textOf(entered, "text") === "", "text", words.noteMissing]])}
						save={(entered) => noteDispute(platform, { scope, id: dispute.id }, textOf(entered, "text"))}
						invalidates={disputesKey(scope)}
					>
						{(field) => (
							<TextAreaField
								{...field("text")}
								label={words.noteLabel}
								defaultValue={dispute.note ?? ""}
								rows={6}
								maxLength={2000}
							/>
						)}
					</SaveForm>
				</div>
			) : (
				<p className="max-w-prose whitespace-pre-wrap">{dispute.note ?? words.noNote}</p>
			)}
		</Section>
	);
}
