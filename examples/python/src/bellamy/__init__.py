"""Predicts how long a Spark or Flink job will run on x nodes, says how sure it is, and picks the cheapest cluster that meets a
deadline. Values never change: learning returns a new one, and any number of threads may share one."""

from ._application import Application, Forecast, RescaleDecision, read_traces
from ._choice import Candidate, Decision, Price, choose
from ._error import Error
from ._explore import Exploration, ExplorationPrior, ProposedTrial, TrialCandidate, explore
from ._model import ImprobableRun, Model, cold_start, pretrain
from ._native import Prediction
from ._native import version as _version
from ._prediction import Curve, Flag, Predictions
from ._runs import Columns, Property

__version__ = _version()
__all__ = [
    "Application",
    "Candidate",
    "Columns",
    "Curve",
    "Decision",
    "Error",
    "Exploration",
    "ExplorationPrior",
    "Flag",
    "Forecast",
    "ImprobableRun",
    "Model",
    "Prediction",
    "Predictions",
    "Price",
    "Property",
    "ProposedTrial",
    "RescaleDecision",
    "TrialCandidate",
    "choose",
    "cold_start",
    "explore",
    "pretrain",
    "read_traces",
]
