import { Button, Dialog } from "@lango/interface";
import { useState } from "react";
import { QrOfAddress } from "../payments/qr-of-address.tsx";
import { usePaymentPageTexts } from "./texts.ts";

/** A button that shows the QR code of a payment page, to print or to show to a payer. */
export function QrButton({ name, link }: { name: string; link: string }) {
	const { qr: words } = usePaymentPageTexts();
	const [isOpen, setOpen] = useState(false);
	return (
		<>
			<Button aria-haspopup="dialog" kind="quiet" aria-label={words.of(name)} onClick={() => setOpen(true)}>
				{words.show}
			</Button>
			{isOpen && (
				<Dialog title={words.of(name)} onClose={() => setOpen(false)}>
					<p className="mb-4">{words.lead}</p>
					<QrOfAddress address={link} words={words} name={name} />
				</Dialog>
			)}
		</>
	);
}
