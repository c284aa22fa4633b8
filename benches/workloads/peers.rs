//! The peers of taintsim's queue, `simcore` and `nexosim`, each used in the cheapest way that it
//! documents: one component or model that holds the whole workload, on one thread.

use crate::workloads::engines::Engine;
use crate::workloads::{Alarm, Event, SEC, Work};
use nexosim::model::{BuildContext, Context, Model, ProtoModel, schedulable};
use nexosim::simulation::{Mailbox, SimInit};
use nexosim::time::MonotonicTime;
use serde::{Deserialize, Serialize};
use simcore::{EventHandler, Simulation, SimulationContext, cast};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;
use std::time::Duration;

/// simcore, whose times are floats: whole nanoseconds up to 2^53, which they hold exactly.
pub(crate) struct SimCore<W> {
    simulation: Simulation,
    component: Rc<RefCell<Component<W>>>,
}

/// Keys of simcore's events.
pub(crate) type SimCoreKey = simcore::EventId;

#[derive(Clone, Serialize)]
struct Fired {
    event: Event,
}

struct Component<W> {
    ctx: SimulationContext,
    work: W,
}

struct SimCoreAlarm<'a> {
    ctx: &'a SimulationContext,
    now: u64,
}

impl Alarm<SimCoreKey> for SimCoreAlarm<'_> {
    fn post(&mut self, at: u64, event: Event) {
        self.set(at, event);
    }

    fn set(&mut self, at: u64, event: Event) -> SimCoreKey {
        self.ctx.emit_self(Fired { event }, (at - self.now) as f64)
    }

    fn cancel(&mut self, key: SimCoreKey) {
        self.ctx.cancel_event(key);
    }
}

impl<W: Work<SimCoreKey>> EventHandler for Component<W> {
    fn on(&mut self, event: simcore::Event) {
        let now = event.time as u64;
        cast!(match event.data {
            Fired { event } => {
                self.work.on(now, event, &mut SimCoreAlarm { ctx: &self.ctx, now });
            }
        })
    }
}

impl<W: Work<SimCoreKey> + 'static> Engine<W> for SimCore<W> {
    type Key = SimCoreKey;

    fn start(mut work: W) -> Self {
        let mut simulation = Simulation::new(0);
        let ctx = simulation.create_context("work");
        work.start(&mut SimCoreAlarm { ctx: &ctx, now: 0 });
        let component = Rc::new(RefCell::new(Component { ctx, work }));
        simulation.add_handler("work", component.clone());
        Self { simulation, component }
    }

    fn run_events(&mut self, n: u64) {
        self.simulation.steps(n);
    }

    fn run_until(&mut self, end: u64) {
        self.simulation.step_until_time(end as f64);
    }

    fn finish(self) -> W {
        drop(self.simulation);
        Rc::into_inner(self.component).expect("the simulation is gone").into_inner().work
    }
}

/// Where nexosim, whose models must be `Send`, leaves the workload behind.
#[expect(
    clippy::disallowed_types,
    reason = "nexosim's models must be `Send`; locked once, at the end"
)]
type LeftBehind<W> = std::sync::Arc<std::sync::Mutex<Option<W>>>;

/// nexosim.
pub(crate) struct NeXosim<W> {
    simulation: nexosim::simulation::Simulation,
    result: LeftBehind<W>,
}

/// Keys of nexosim's events.
pub(crate) type NeXosimKey = nexosim::simulation::EventKey;

/// The model has no state of its own: the workload is its environment, which need not be
/// serializable.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct Host<W>(PhantomData<fn() -> W>);

/// Holds the workload, and leaves it behind when the simulation is dropped.
struct Env<W> {
    work: Option<W>,
    result: LeftBehind<W>,
}

impl<W> Drop for Env<W> {
    fn drop(&mut self) {
        if let Ok(mut result) = self.result.lock() {
            *result = self.work.take();
        }
    }
}

struct Proto<W>(Env<W>);

impl<W: Work<NeXosimKey> + Send + 'static> ProtoModel for Proto<W> {
    type Model = Host<W>;

    fn build(self, _: &mut BuildContext<Self>) -> (Host<W>, Env<W>) {
        (Host(PhantomData), self.0)
    }
}

struct NeXosimAlarm<'a, W: Work<NeXosimKey> + Send + 'static> {
    cx: &'a Context<Host<W>>,
    now: u64,
}

impl<W: Work<NeXosimKey> + Send + 'static> Alarm<NeXosimKey> for NeXosimAlarm<'_, W> {
    fn post(&mut self, at: u64, event: Event) {
        let delay = Duration::from_nanos(at - self.now);
        self.cx
            .schedule_event(delay, schedulable!(Host::<W>::fire), event)
            .expect("the delay is not zero");
    }

    fn set(&mut self, at: u64, event: Event) -> NeXosimKey {
        let delay = Duration::from_nanos(at - self.now);
        self.cx
            .schedule_keyed_event(delay, schedulable!(Host::<W>::fire), event)
            .expect("the delay is not zero")
    }

    fn cancel(&mut self, key: NeXosimKey) {
        key.cancel();
    }
}

#[Model(type Env = Env<W>)]
impl<W: Work<NeXosimKey> + Send + 'static> Host<W> {
    #[nexosim(init)]
    async fn init(&mut self, cx: &Context<Self>, env: &mut Env<W>) {
        if let Some(work) = &mut env.work {
            work.start(&mut NeXosimAlarm { cx, now: 0 });
        }
    }

    #[nexosim(schedulable)]
    fn fire(&mut self, event: Event, cx: &Context<Self>, env: &mut Env<W>) {
        let time = cx.time();
        let now = time.as_secs() as u64 * SEC + u64::from(time.subsec_nanos());
        if let Some(work) = &mut env.work {
            work.on(now, event, &mut NeXosimAlarm { cx, now });
        }
    }
}

impl<W: Work<NeXosimKey> + Send + 'static> Engine<W> for NeXosim<W> {
    type Key = NeXosimKey;

    fn start(work: W) -> Self {
        let result = LeftBehind::default();
        let host = Proto(Env { work: Some(work), result: result.clone() });
        let start = MonotonicTime::new(0, 0).expect("zero is a time");
        let simulation = SimInit::with_num_threads(1)
            .add_model(host, Mailbox::new(), "work")
            .init(start)
            .expect("it starts");
        Self { simulation, result }
    }

    fn run_events(&mut self, n: u64) {
        for _ in 0..n {
            self.simulation.step().expect("it steps");
        }
    }

    fn run_until(&mut self, end: u64) {
        let end = MonotonicTime::new((end / SEC) as i64, (end % SEC) as u32).expect("a time");
        self.simulation.step_until(end).expect("it runs");
    }

    fn finish(self) -> W {
        drop(self.simulation);
        self.result.lock().expect("nobody panicked").take().expect("the simulation is gone")
    }
}
